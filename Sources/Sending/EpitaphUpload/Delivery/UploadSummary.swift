// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct UploadSummary: Sendable, Equatable {
    package var reports: [Entry] = []
    /// Unusable files, and what could not be stored, as sentences that name the files.
    package var problems: [String] = []

    package var remarks: [String] = []

    package struct Entry: Sendable, Equatable {
        package var uuid: Epitaph.ID
        package var result: UploadResult
    }

    package var sentCount: Int {
        reports.count {
            switch $0.result {
            case .sent, .alreadySent: true
            case .failed, .skipped: false
            }
        }
    }

    package var failedCount: Int {
        reports.count { if case .failed = $0.result { true } else { false } }
    }

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
