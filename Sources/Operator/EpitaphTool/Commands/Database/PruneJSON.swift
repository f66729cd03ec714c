// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import EpitaphDatabase
import EpitaphExplanation

/// What `prune --json` prints; docs/dump-convert.md lists the members.
struct PruneJSON: PrintedJSON {
    let schema = "urn:epitaph:prune"
    let schemaVersion = 1
    let isDryRun: Bool
    let isClockTrusted: Bool
    let removed: [Removed]
    let kept: Kept
    let redated: [String]
    let busy: [String]
    let stale: [String]
    let quarantine: [String]
    let problems: [String]

    struct Removed: Encodable {
        let id: String
        let state: String
        let time: String
        let filed: String
        let sizeBytes: Int
        let reason: String
    }

    struct Kept: Encodable {
        let count: Int
        let sizeBytes: Int
    }

    init(_ summary: PruneSummary, isDryRun: Bool) {
        self.isDryRun = isDryRun
        isClockTrusted = summary.isClockTrusted
        removed = summary.removals.map { removal in
            Removed(
                id: removal.candidate.uuid.description,
                state: ReportStateWord.of(removal.candidate),
                time: PreciseTime.timestamp(removal.candidate.order.time),
                filed: UTCTime.timestamp(removal.candidate.creationTime),
                sizeBytes: removal.candidate.sizeBytes, reason: removal.reason.rawValue)
        }
        kept = Kept(count: summary.keptCount, sizeBytes: summary.keptBytes)
        redated = summary.redated.map { $0.description }
        busy = summary.busy.map { $0.description }
        stale = summary.stalePaths
        quarantine = summary.quarantinePaths
        problems = summary.problems
    }
}
