// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// One pass over the queue.
package struct UploadSummary: Sendable, Equatable {
    /// In the order in which they got their results: the queue's, except for those that were
    /// retried.
    package var reports: [Entry] = []
    /// What looks like a report but cannot be used, and what could not be stored, as sentences that
    /// name the files.
    package var problems: [String] = []

    /// Sentences about things that should be known although nothing failed because of them, for
    /// example that this machine's clock is wrong.
    package var remarks: [String] = []

    /// A report and its result.
    package struct Entry: Sendable, Equatable {
        /// The report's id.
        package var uuid: Epitaph.ID
        /// What became of it in this pass.
        package var result: UploadResult
    }

    /// Reports that the server has.
    package var sentCount: Int {
        reports.count {
            switch $0.result {
            case .sent, .alreadySent: true
            case .failed, .skipped: false
            }
        }
    }

    /// Reports whose attempt failed.
    package var failedCount: Int {
        reports.count { if case .failed = $0.result { true } else { false } }
    }

    /// Reports for which no attempt was made.
    package var skippedCount: Int { reports.count - sentCount - failedCount }
}

extension UploadSummary: CustomStringConvertible {
    /// For example `3 sent, 1 failed, 2 left pending`; `, 1 unusable` when there are problems.
    package var description: String {
        let unusable = problems.isEmpty ? "" : ", \(problems.count) unusable"
        guard !reports.isEmpty else { return "no report is pending" + unusable }
        return "\(sentCount) sent, \(failedCount) failed, \(skippedCount) left pending"
            + unusable
    }
}
