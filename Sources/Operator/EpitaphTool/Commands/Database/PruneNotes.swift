// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// Notes about pruning, for a command that prunes besides its own work: only what happened.
enum PruneNotes {
    static func announce(_ summary: PruneSummary, by policy: PrunePolicy, _ output: Output) {
        for reason in PruneReason.allCases {
            let count = summary.removals.count { $0.reason == reason }
            guard count > 0 else { continue }
            let reports = count == 1 ? "1 report was" : "\(count) reports were"
            output.note("\(reports) removed: \(words(reason, policy))")
        }
        let unsent = summary.removals.count { $0.candidate.isUnsent }
        if unsent > 0 {
            output.note("\(unsent) of these had not been sent")
        }
        announcePieces(summary, isDryRun: false, output)
    }

    /// Everything but the reports.
    static func announcePieces(_ summary: PruneSummary, isDryRun: Bool, _ output: Output) {
        let removed = isDryRun ? "would be removed" : "removed"
        for path in summary.stalePaths {
            output.note("\(path): leftover of interrupted work, \(removed)")
        }
        for path in summary.quarantinePaths {
            output.note("\(path): too old, or too large for the quarantine, \(removed)")
        }
        for uuid in summary.redated {
            let dated = isDryRun ? "would count as filed now" : "counts as filed now"
            output.note("report \(uuid.description) is from the future: it \(dated)")
        }
        for uuid in summary.busy {
            output.note("report \(uuid.description) is in use and stays for now")
        }
        summary.problems.forEach { output.complain($0) }
    }

    private static func words(_ reason: PruneReason, _ policy: PrunePolicy) -> String {
        switch reason {
        case .tooOld: "filed more than \(policy.maxAgeDays) days ago (--max-age)"
        case .tooMany: "there were more than \(policy.maxRecordCount) (--max-count)"
        case .tooLarge:
            "together they took more than \(policy.maxDatabaseSizeMB) megabytes (--max-size)"
        }
    }
}
