// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One pass over the queue.
public struct UploadSummary: Sendable, Equatable {
    /// In the order they were settled: the queue's, but for those that were tried again.
    public var reports: [Entry] = []
    /// What looks like a report and cannot be used, and what could not be written down, as
    /// sentences that name the files.
    public var problems: [String] = []

    public struct Entry: Sendable, Equatable {
        public var uuid: UUID
        public var result: UploadResult
    }

    public var sentCount: Int {
        reports.count {
            switch $0.result {
            case .sent, .alreadySent: true
            case .failed, .skipped: false
            }
        }
    }

    public var failedCount: Int {
        reports.count { if case .failed = $0.result { true } else { false } }
    }

    public var skippedCount: Int { reports.count - sentCount - failedCount }
}

extension UploadSummary: CustomStringConvertible {
    /// For example `3 sent, 1 failed, 2 left pending`; `, 1 unusable` when there are problems.
    public var description: String {
        let unusable = problems.isEmpty ? "" : ", \(problems.count) unusable"
        guard !reports.isEmpty else { return "no report is pending" + unusable }
        return "\(sentCount) sent, \(failedCount) failed, \(skippedCount) left pending"
            + unusable
    }
}
