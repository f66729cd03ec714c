// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The result of one look at the directory.
    public struct LogUploadSummary: Sendable, Equatable {
        public var uploadedCount = 0
        /// Failed tries that will be repeated.
        public var failedCount = 0
        /// Logs that were gone before they could be sent.
        public var vanishedCount = 0
        /// Logs deleted unsent because of the limits.
        public var discardedCount = 0
        /// Unfinished files: written to recently, open for writing, or being compressed.
        public var settlingCount = 0
        /// Files waiting for the next try, the server, or the delegate.
        public var waitingCount = 0
        /// Files that the server rejected, now or earlier.
        public var refusedCount = 0
        /// Why the directory could not be read, in a sentence that names it.
        public var problem: String?
        /// Sentences about rolled logs whose names are not UTF-8.
        public var nameProblems: [String] = []
        /// Seconds until the next step unless something happens first; nil if nothing is due.
        public var secondsToNextStep: Double?

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
