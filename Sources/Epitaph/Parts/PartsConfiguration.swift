// SPDX-License-Identifier: Apache-2.0

import Events
import Metrics
import Monitoring
import ReportUpload
import Sessions

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
        /// What every event says of user, version and the like. Program and version are filled in
        /// where they are nil.
        public var context = Context()

        /// All of them off.
        public init() {}
    }
}
