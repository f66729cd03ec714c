// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

extension Epitaph {
    package struct DeliveryRules: Sendable, Equatable {
        package var limits = UploadLimits()
        /// Whether to try reports that are not due by their long-term schedule, because a person
        /// asked for a pass now. A server's pause still applies.
        package var ignoresSchedule = false
        /// Seconds that a pass waits in a row while a gate, network or server prevents sending.
        /// Then it ends, and the remaining reports stay pending.
        package var patienceSeconds = 600.0
        package var askAgainSeconds = 15.0
        /// The largest attachment, in bytes. A larger one is left out, and
        /// `UploadDelegate.didLeaveOut` reports it.
        package var attachmentLimitBytes = AttachmentLimit.defaultBytes

        package init() {}

        /// Each report is tried once.
        package static var oneTryEach: DeliveryRules {
            var rules = DeliveryRules()
            rules.limits.retryBehaviour = .none
            rules.limits.reportsPerMin = 0
            rules.ignoresSchedule = true
            rules.patienceSeconds = 0
            return rules
        }
    }

    /// How much is kept and tried how often, as Backtrace's clients name and default it.
    public struct UploadLimits: Sendable, Equatable {
        /// How many reports are kept; 0 for any number. The oldest go first.
        public var maxRecordCount = 0
        /// How many mebibytes the reports may take on disk; 0 for any number. The oldest go first.
        public var maxDatabaseSize = 0
        /// Seconds before the first quick retry; each further one waits twice as long.
        public var retryInterval = 5.0
        /// Quick retries after the first try; then a report waits for its long-term schedule.
        public var retryLimit = 3
        /// Whether failed attempts are retried within a pass.
        public var retryBehaviour = RetryBehaviour.interval
        /// Which report is sent first.
        public var retryOrder = RetryOrder.queue
        /// Requests in any 60 seconds; 0 for any number. Further reports wait and are not dropped.
        public var reportsPerMin = 30

        /// Whether failed attempts are retried within a pass.
        public enum RetryBehaviour: String, Sendable, CaseIterable {
            /// No quick retries: a report that did not arrive waits for its long-term schedule.
            case none
            /// After `retryInterval`.
            case interval
        }

        /// Which report is sent first.
        public enum RetryOrder: String, Sendable, CaseIterable {
            /// The oldest report first.
            case queue
            /// The newest report first.
            case stack
        }

        /// All reports are kept, 30 requests in 60 seconds, 3 quick retries for each report.
        public init() {}
    }
}
