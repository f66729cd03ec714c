// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphValues

extension Epitaph.Configuration {
    /// All parts beyond crashes. A part without options is off and costs nothing: no thread, no
    /// file descriptor, no file.
    public struct Parts: Sendable {
        /// Events, stored on disk and passed to observers; docs/events.md. Without them, everything
        /// that the other parts record is dropped.
        public var events: Epitaph.EventLogOptions?
        /// Where events are sent, if sending reports is allowed; nil for nowhere.
        public var eventDestination: (any Epitaph.EventDestination)?
        /// Sessions, and how many of them were free of crashes; docs/sessions.md.
        public var sessions: Epitaph.SessionOptions?
        /// Counters and durations; docs/monitoring.md.
        public var metrics: Epitaph.MetricsOptions?
        /// What happens to lines that are passed to `Epitaph.log`; docs/monitoring.md.
        public var logFilter = LogFilter.standard
        /// What the events of requests contain; docs/monitoring.md.
        public var requests = Epitaph.RequestMonitorOptions()
        /// Reports of handled errors; docs/handled-errors.md. On unless set to nil. Costs a thread
        /// that waits for errors, and 136 KiB of memory after the first one.
        public var handledErrors: Epitaph.HandledErrorOptions? = Epitaph.HandledErrorOptions()
        /// Hang detection for the main queue; docs/hangs.md. For other queues and workers use
        /// `QueueWatch` and `Heartbeat`, which need no options here.
        public var hangs: Epitaph.HangOptions?
        /// Warnings when memory becomes scarce, and dumps in case the kernel kills the process;
        /// docs/memory-pressure.md.
        public var memory: Epitaph.MemoryOptions?
        /// Network links, power, clock steps, time zone and language as breadcrumbs and events;
        /// docs/system-events.md.
        public var systemEvents: Epitaph.SystemEventOptions?
        /// The user, version and the like of every event. Program and version are filled in if nil.
        public var context = Epitaph.Context()

        /// Only reports of handled errors are on.
        public init() {}
    }
}
