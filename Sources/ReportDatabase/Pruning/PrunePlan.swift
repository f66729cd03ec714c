// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What pruning has to know of a report.
public struct PruneCandidate: Sendable, Hashable {
    public var uuid: UUID
    public var state: ReportState
    /// When it was filed.
    public var creationTime: Date
    /// Its minidump and attachments.
    public var sizeBytes: Int
    public var isUploaded: Bool
    public var isUploadRequested: Bool
    /// Someone works on it right now.
    public var isLocked: Bool

    public init(
        uuid: UUID, state: ReportState, creationTime: Date, sizeBytes: Int,
        isUploaded: Bool = false, isUploadRequested: Bool = false, isLocked: Bool = false
    ) {
        self.uuid = uuid
        self.state = state
        self.creationTime = creationTime
        self.sizeBytes = sizeBytes
        self.isUploaded = isUploaded
        self.isUploadRequested = isUploadRequested
        self.isLocked = isLocked
    }

    public init(_ report: Report) {
        self.init(
            uuid: report.uuid, state: report.state, creationTime: report.creationTime,
            sizeBytes: report.sizeBytes, isUploaded: report.isUploaded,
            isUploadRequested: report.isUploadRequested, isLocked: report.isLocked)
    }

    /// The lower, the sooner it can be spared.
    var sparing: (Int, Date, String) {
        let rank =
            switch state {
            case .completed: isUploaded ? 0 : 1
            case .pending: isUploadRequested ? 3 : 2
            }
        return (rank, creationTime, uuid.fileStem)
    }
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

public struct PruneRemoval: Sendable, Equatable {
    public var candidate: PruneCandidate
    public var reason: PruneReason

    public init(candidate: PruneCandidate, reason: PruneReason) {
        self.candidate = candidate
        self.reason = reason
    }
}

/// What `PrunePolicy` decided.
public struct PrunePlan: Sendable, Equatable {
    /// In the order in which they are to be removed.
    public var removals: [PruneRemoval] = []
    /// Reports that stay and were filed by a clock that was ahead. They are dated anew: as they
    /// are they would outlive every other, and to take the distance for their age would remove
    /// them at once.
    public var fromTheFuture: [PruneCandidate] = []

    public init() {}
}
