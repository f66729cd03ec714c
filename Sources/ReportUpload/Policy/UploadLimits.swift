// SPDX-License-Identifier: Apache-2.0

/// How much is kept and how often it is tried, with the names and defaults of Backtrace's clients.
public struct UploadLimits: Sendable, Equatable {
    /// Reports that are kept; 0 for any number. The oldest go first.
    public var maxRecordCount = 0
    /// Mebibytes that the reports may take on the disk; 0 for any number. The oldest go first.
    public var maxDatabaseSize = 0
    /// Seconds before the first quick retry; each further one waits twice as long.
    public var retryInterval = 5.0
    /// Quick retries of a report after its first try. Then it waits for its long-term schedule.
    public var retryLimit = 3
    public var retryBehaviour = RetryBehaviour.interval
    public var retryOrder = RetryOrder.queue
    /// Requests in any 60 seconds; 0 for any number. A report above it waits, it is never dropped.
    public var reportsPerMin = 30

    public enum RetryBehaviour: String, Sendable, CaseIterable {
        /// No quick retries: a report that did not arrive waits for its long-term schedule.
        case none
        /// After `retryInterval`.
        case interval
    }

    public enum RetryOrder: String, Sendable, CaseIterable {
        /// The oldest report first.
        case queue
        /// The newest report first.
        case stack
    }

    public init() {}
}
