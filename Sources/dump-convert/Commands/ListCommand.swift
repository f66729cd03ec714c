// SPDX-License-Identifier: Apache-2.0

import CrashReport
import Minidump
import ReportDatabase
import Snapshot

/// `dump-convert list`
enum ListCommand {
    static let description = CommandDescription(
        name: "list",
        abstract: "list the reports of a database",
        discussion: """
            Prints a line of headings and one line for each report, the oldest first. The columns
            are separated by blanks, and only the last can hold any:

            ID, which the other commands take; TIME of the crash, in UTC; SIGNAL, or - if there
            was none; STATE: pending, requested (a person asked for it to be sent), sent, not-sent
            (it will not be); TRIES, the number of attempts to send it; PROGRAM, the path of the
            executable. What cannot be read is a question mark.
            """,
        operands: [],
        options: [.requiredDatabase],
        examples: [
            .init(
                commandLine: "dump-convert list --database /var/lib/exampled/crashes",
                meaning: "lists all reports of a daemon.")
        ],
        run: run)

    private static let headings = ["ID", "TIME", "SIGNAL", "STATE", "TRIES", "PROGRAM"]

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let database = try ReportDatabase(named: arguments.value(of: .requiredDatabase) ?? "")
        var reports: [Report] = []
        for state in ReportState.allCases {
            let list = try onDatabase { () throws(DatabaseError) in try database.reports(state) }
            reports += list.reports
            list.problems.forEach { output.complain($0.sentence) }
        }
        reports.sort { $0.creationTime < $1.creationTime }
        let rows = reports.map { row($0, in: database, output) }
        guard !rows.isEmpty else { return }
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [headings] + rows where output.isOpen {
            // Nothing follows the last column, so it is not padded.
            let columns = zip(row.dropLast(), widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }
            output.print((columns + [row[row.count - 1]]).joined(separator: "  "))
        }
    }

    private static func row(
        _ report: Report, in database: ReportDatabase, _ output: Output
    ) -> [String] {
        var row = [
            report.uuid.uuidString.lowercased(), UTCTime.timestamp(report.creationTime), "?",
            state(report), String(report.uploadAttempts), "?",
        ]
        do {
            let minidump = try MinidumpReader.read(database.contents(of: report))
            let explanation = CrashExplanation(minidump.snapshot, stacks: [])
            if let time = minidump.snapshot.process.snapshotTime {
                row[1] = UTCTime.timestamp(time)
            }
            row[2] =
                explanation.reason.map { String($0.signalName.split(separator: " ")[0]) } ?? "-"
            row[5] = explanation.executablePath.map(TerminalText.line) ?? "-"
        } catch {
            output.complain("\(report.path) cannot be read: \(error)")
        }
        return row
    }

    private static func state(_ report: Report) -> String {
        switch report.state {
        case .pending: report.isUploadRequested ? "requested" : "pending"
        case .completed: report.isUploaded ? "sent" : "not-sent"
        }
    }
}
