// SPDX-License-Identifier: Apache-2.0

import Events
import HandledErrors
import Hangs
import MemoryPressure
import Metrics
import Monitoring
import ReportUpload
import Sessions
import SystemEvents

extension Epitaph.Configuration {
    /// What goes beyond crashes. Each part is off where its options are nil, and then costs
    /// nothing: no thread, no descriptor, no file.
    public struct Parts: Sendable {
        /// Events, kept on the disk and told to observers; docs/events.md. What the other parts
        /// record is dropped without them.
        public var events: EventLogOptions?
        /// Where events are sent, if reports may be; nil for nowhere.
        public var eventDestination: (any EventDestination)?
        /// Sessions and how many of them went without a crash; docs/sessions.md.
        public var sessions: SessionOptions?
        /// Counters and durations; docs/monitoring.md.
        public var metrics: MetricsOptions?
        /// What becomes of lines that `Epitaph.log` is given; docs/monitoring.md.
        public var logFilter = LogFilter.standard
        /// How much of requests is in their events; docs/monitoring.md.
        public var requests = RequestMonitorOptions()
        /// Reports of errors that the program deals with; docs/handled-errors.md. On unless set to
        /// nil: a thread that waits for errors, and 136 KiB of memory.
        public var handledErrors: HandledErrorOptions? = HandledErrorOptions()
        /// The watch for hangs of the main queue; docs/hangs.md. Other queues and workers are
        /// watched by `QueueWatch` and `Heartbeat`, which need no options.
        public var hangs: HangOptions?
        /// Warnings when memory becomes scarce, and dumps in case the kernel kills the process;
        /// docs/memory-pressure.md.
        public var memory: MemoryOptions?
        /// Network links, power, clock steps, time zone and language as breadcrumbs and events;
        /// docs/system-events.md.
        public var systemEvents: SystemEventOptions?
        /// What every event says of user, version and the like. Program and version are filled in
        /// where they are nil.
        public var context = Context()

        /// Reports of handled errors alone.
        public init() {}
    }
}
