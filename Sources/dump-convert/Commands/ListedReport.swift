// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials
import Minidump
import ReportDatabase
import Snapshot

/// What `list` knows about a report.
struct ListedReport {
    let report: Report
    /// Nil when the minidump cannot be read.
    let snapshot: ProcessSnapshot?

    init(_ report: Report, in database: ReportDatabase, _ output: Output) {
        self.report = report
        do {
            snapshot = try MinidumpReader.read(database.contents(of: report)).snapshot
        } catch {
            snapshot = nil
            output.complain("\(report.path) cannot be read: \(error)")
        }
    }

    var id: String { report.uuid.uuidString.lowercased() }

    /// When it crashed; when the report was filed if its minidump does not tell.
    var time: Date { snapshot?.process.snapshotTime ?? report.creationTime }

    /// `SIGSEGV`; nil when the process did not crash.
    var signal: String? {
        guard let snapshot, let exception = snapshot.exception else { return nil }
        let name = DeathReason(exception, of: snapshot).signalName
        return name.split(separator: " ").first.map(String.init)
    }

    var program: String? {
        snapshot.flatMap { CrashExplanation($0, stacks: []).executablePath }
    }

    var state: String { ReportStateWord.of(PruneCandidate(report)) }
}

extension ListedReport {
    /// The reports of a database that crashed at `since` or later, in the order they were filed.
    static func all(
        in database: ReportDatabase, since: Date?, _ output: Output
    ) throws(CommandFailure) -> [ListedReport] {
        var reports: [Report] = []
        for state in ReportState.allCases {
            let list = try onDatabase { () throws(DatabaseError) in try database.reports(state) }
            reports += list.reports
            list.problems.forEach { output.complain($0.sentence) }
        }
        reports.sort { $0.creationTime < $1.creationTime }
        return output.progress.during("reading reports") {
            var listed: [ListedReport] = []
            for (index, report) in reports.enumerated() {
                let entry = ListedReport(report, in: database, output)
                if since.map({ entry.time >= $0 }) ?? true { listed.append(entry) }
                output.progress.update(done: index + 1, of: reports.count)
            }
            return listed
        }
    }
}
