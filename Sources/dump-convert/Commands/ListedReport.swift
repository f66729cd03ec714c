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
            let bytes = try database.contents(of: report)
            let found = FoundBytes(bytes, ofReportAt: report.path)
            guard found.isMinidump else {
                snapshot = nil
                output.complain(
                    "\(report.path) cannot be read: it is no minidump but \(FileKind.words(bytes))")
                return
            }
            snapshot = try MinidumpReader.read(bytes).snapshot
        } catch {
            snapshot = nil
            output.complain("\(report.path) cannot be read: \(error)")
        }
    }

    var id: String { report.uuid.uuidString.lowercased() }

    /// When it crashed, as its minidump says; when the report was filed if that does not tell.
    var time: Date { report.crashTime ?? report.creationTime }

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
    /// The reports of a database that crashed at `since` or later, the oldest crash first.
    static func all(
        in database: ReportDatabase, since: Date?, _ output: Output
    ) throws(CommandFailure) -> [ListedReport] {
        let list = try onDatabase { () throws(DatabaseError) in try database.allReports() }
        list.problems.forEach { output.complain($0.sentence) }
        let reports = list.reports.filter { report in
            since.map { report.order.time >= $0 } ?? true
        }
        return output.progress.during("reading reports") {
            var listed: [ListedReport] = []
            for (index, report) in reports.enumerated() {
                listed.append(ListedReport(report, in: database, output))
                output.progress.update(done: index + 1, of: reports.count)
            }
            return listed
        }
    }
}
