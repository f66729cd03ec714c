// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The result of one look through the directory.
    public struct LogUploadSummary: Sendable, Equatable {
        /// Logs that the server accepted.
        public var uploadedCount = 0
        /// Failed tries that will be repeated.
        public var failedCount = 0
        /// Logs that were gone before they could be sent.
        public var vanishedCount = 0
        /// Logs that were deleted unsent because of the limits.
        public var discardedCount = 0
        /// Files that are not finished: written to a moment ago, still open for writing, or being
        /// compressed.
        public var settlingCount = 0
        /// Files that wait for their next try, for the server, or for the delegate.
        public var waitingCount = 0
        /// Files that the server will not accept, as it said now or earlier.
        public var refusedCount = 0
        /// Why the directory could not be looked through, in a sentence that names it.
        public var problem: String?
        /// Sentences about rolled logs whose names are not UTF-8.
        public var nameProblems: [String] = []
        /// Seconds until there is something to do again, unless something happens first; nil if
        /// there is nothing.
        public var secondsToNextStep: Double?

        /// Nothing found, nothing done.
        public init() {}
    }
}

extension LogUploadSummary: CustomStringConvertible {
    /// For example `3 sent, 1 failed, 2 wait`.
    public var description: String {
        let parts = [
            (uploadedCount, "sent"), (failedCount, "failed"), (vanishedCount, "vanished"),
            (discardedCount, "deleted unsent"), (settlingCount, "not finished"),
            (waitingCount, "waiting"), (refusedCount, "refused"),
        ]
        let phrases = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return phrases.isEmpty ? "no rolled log is there" : phrases.joined(separator: ", ")
    }
}
