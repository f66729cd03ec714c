// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService
import EpitaphValues

/// Counts the contents of a database; opens each minidump once.
struct ContentsCount {
    private struct Facts {
        let program: String
        let kind: String
    }

    private var known: [Epitaph.ID: Facts] = [:]

    /// - Parameter reports: all reports of the database.
    mutating func update(
        _ reports: [Report], of database: ReportDatabase
    ) -> ServiceFigures.Contents {
        var contents = ServiceFigures.Contents()
        var facts: [Epitaph.ID: Facts] = [:]
        for report in reports {
            let fact = known[report.uuid] ?? read(report, database)
            facts[report.uuid] = fact
            let candidate = PruneCandidate(report)
            let group = ServiceFigures.Contents.Group(
                program: fact.program, kind: fact.kind, state: ReportStateWord.of(candidate))
            contents.reports[group, default: 0] += 1
            contents.bytes += min(report.sizeBytes, 1 << 50)
            if candidate.state == .pending {
                contents.waiting += 1
                let time = report.creationTime
                contents.oldestWaiting = min(contents.oldestWaiting ?? time, time)
            }
            if report.isUploaded, let time = report.lastUploadAttemptTime {
                contents.lastSuccess = max(contents.lastSuccess ?? .distantPast, time)
            }
        }
        known = facts
        return contents
    }

    private func read(_ report: Report, _ database: ReportDatabase) -> Facts {
        let facts = try? ReportFacts(
            readingMinidump: database.openMinidump(of: report.uuid), at: report.path)
        return Facts(
            program: facts?.program.map { ModuleSnapshot.fileName(of: $0) } ?? "",
            kind: facts?.kind?.word ?? "unknown")
    }
}
