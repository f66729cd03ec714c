// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The facts about a report that pruning needs.
    public struct PruneCandidate: Sendable, Hashable {
        /// The report's id.
        public var uuid: Epitaph.ID
        package var state: ReportState
        /// When it was filed.
        public var creationTime: Timestamp
        package var order: ReportOrder
        /// The size of its minidump and attachments.
        public var sizeBytes: Int
        /// Whether the server has the report.
        public var isUploaded: Bool
        /// Whether a person asked for it to be sent.
        public var isUploadRequested: Bool
        /// Whether another process is working on it.
        public var isLocked: Bool

        /// - Parameters:
        ///   - crashTime: nil if only the time of filing is known.
        ///   - sizeBytes: of its minidump and attachments together.
        package init(
            uuid: Epitaph.ID, state: ReportState, creationTime: Timestamp,
            crashTime: Timestamp? = nil,
            sizeBytes: Int,
            isUploaded: Bool = false, isUploadRequested: Bool = false, isLocked: Bool = false
        ) {
            self.uuid = uuid
            self.state = state
            self.creationTime = creationTime
            order = ReportOrder(
                crashTime: crashTime, filed: creationTime, written: creationTime, uuid: uuid)
            self.sizeBytes = sizeBytes
            self.isUploaded = isUploaded
            self.isUploadRequested = isUploadRequested
            self.isLocked = isLocked
        }

        package init(_ report: Report) {
            self.init(
                uuid: report.uuid, state: report.state, creationTime: report.creationTime,
                sizeBytes: report.sizeBytes, isUploaded: report.isUploaded,
                isUploadRequested: report.isUploadRequested, isLocked: report.isLocked)
            order = report.order
        }

        /// Whether it waits to be sent, requested or not.
        public var isUnsent: Bool { state == .pending }

        /// Reports with lower values are removed first.
        ///
        /// Among equals the oldest crash goes first, but reports filed within the last day go after
        /// the others: the clock of a freshly started machine may be wrong by years, which makes a
        /// crash look old. `now` is nil if the clock cannot be trusted.
        func sparing(at now: Timestamp?) -> (Int, Int, ReportOrder) {
            let rank =
                switch state {
                case .completed: isUploaded ? 0 : 1
                case .pending: isUploadRequested ? 3 : 2
                }
            let isFresh =
                now.map { $0.seconds(since: creationTime) < Self.freshSeconds } ?? false
            return (rank, isFresh ? 1 : 0, order)
        }

        static let freshSeconds = 86_400.0
    }

    /// Why a report had to go.
    public enum PruneReason: String, Sendable, Equatable, CaseIterable {
        /// It was filed longer ago than `maxAgeDays`.
        case tooOld = "too-old"
        /// There were more reports than `maxRecordCount`.
        case tooMany = "too-many"
        /// Together the reports took more than `maxDatabaseSizeMB`.
        case tooLarge = "too-large"
    }

    /// A report that pruning removes, and the limit it exceeds.
    public struct PruneRemoval: Sendable, Equatable {
        /// The report.
        public var candidate: PruneCandidate
        /// The limit that it exceeded.
        public var reason: PruneReason

        /// The removal of one report.
        public init(candidate: PruneCandidate, reason: PruneReason) {
            self.candidate = candidate
            self.reason = reason
        }
    }

    package struct PrunePlan: Sendable, Equatable {
        package var removals: [PruneRemoval] = []
        /// Reports that stay and were filed by a clock that was ahead. They get a new date: with
        /// the old one they would outlive all others, or be removed at once.
        package var fromTheFuture: [PruneCandidate] = []

        package init() {}
    }
}
