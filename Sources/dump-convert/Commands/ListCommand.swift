// SPDX-License-Identifier: Apache-2.0

import CrashReport
import DumpConversion
import FoundationEssentials
import LinuxSystem
import ReportDatabase
import StackUnwinding

/// `dump-convert list`
enum ListCommand {
    static let description = CommandDescription(
        name: "list",
        abstract: "list the reports of a database",
        discussion: """
            Prints a line of headings and one line for each report, the oldest crash first. The
            columns are separated by spaces, and only the last one can contain any:

            ID, for the other commands; TIME of the crash, in UTC; SIGNAL, or - if there was none;
            STATE: pending, requested (a person asked for it to be sent), sent, not-sent (it will
            not be sent); TRIES, the number of attempts to send it; PROGRAM, the path of the
            executable. A question mark means that the value could not be read.

            With --group there is one line for all reports of one program that died in the same
            place in the same way; the group with the latest crash comes last: COUNT; FIRST and
            LAST, the times of its first and last crash; LATEST, the id of the last report;
            SIGNATURE, the program's name, the kind of death and the functions.

            Standard error reports how many dumps wait to become reports.
            """,
        operands: [],
        options: [.requiredDatabase, group, since, json, SymbolOptions.groupSymbols],
        examples: [
            .init(
                commandLine: "dump-convert list --database /var/lib/exampled/crashes",
                meaning: "lists all reports of a daemon."),
            .init(
                commandLine: "dump-convert list --group --since 2d",
                meaning: "shows what died in the last two days, and how often."),
        ],
        run: run)

    private static let group = OptionDescription(
        "group", "print one line for all reports with the same signature")
    private static let since = OptionDescription(
        "since", value: "TIME", kind: .time,
        "list crashes since this time: 2026-08-22, 2026-08-22T03:14:05Z (UTC unless it says "
            + "otherwise), or a span before now: 2d, 12h, 30m")
    private static let json = OptionDescription("json", "print JSON for programs")

    private static let headings = ["ID", "TIME", "SIGNAL", "STATE", "TRIES", "PROGRAM"]
    private static let groupHeadings = ["COUNT", "FIRST", "LAST", "LATEST", "SIGNATURE"]

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let start = arguments.value(of: since).flatMap {
            UTCTime.date(parsing: $0, now: SystemWallClock().now())
        }
        let path = arguments.value(of: .requiredDatabase) ?? ""
        let directory = try ReportDatabase.checkedDirectory(path)
        guard let database = try ReportDatabase.ifFiled(in: directory) else {
            output.note(
                "there is no report in \(path) yet; \(WaitingDumps(in: directory).sentence)")
            if arguments.has(json) {
                output.print(
                    (arguments.has(group)
                        ? ListJSON([ReportGroup]()) : ListJSON([ListedReport]())).text)
            }
            return
        }
        let images = try SymbolOptions.images(arguments, readAs: database.owner)
        WaitingDumps(in: database).note(to: output)
        let reports = try ListedReport.all(in: database, since: start, output)
        guard arguments.has(group) else {
            return arguments.has(json)
                ? output.print(ListJSON(reports).text)
                : table([headings] + reports.map(row), output)
        }
        let groups = try onDatabase { () throws(DatabaseError) in
            try database.asOwner {
                ReportGroup.groups(
                    of: reports, in: database, images: images,
                    renewingPartial: !arguments.values(of: SymbolOptions.symbols).isEmpty, output)
            }
        }
        let listed = Set(reports.map(\.report.uuid))
        SignatureCache(database).forgetAll { listed.contains($0) || database.mayHave($0) }
        arguments.has(json)
            ? output.print(ListJSON(groups).text)
            : table([groupHeadings] + groups.map(row), output)
    }

    /// The last column may be cut if it does not fit on a terminal.
    private static func table(_ rows: [[String]], _ output: Output) {
        guard rows.count > 1 else { return }
        let widths = rows[0].indices.map { column in
            rows.map { TerminalText.columns($0[column]) }.max() ?? 0
        }
        let used = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let room = output.terminalWidth.map { max($0 - used, 20) } ?? .max
        for row in rows where output.isOpen {
            // Nothing follows the last column, so it is not padded.
            let columns = zip(row.dropLast(), widths).map { text, width in
                text + String(repeating: " ", count: width - TerminalText.columns(text))
            }
            let last = TerminalText.line(row[row.count - 1], columns: room)
            output.print((columns + [last]).joined(separator: "  "))
        }
    }

    private static func row(_ listed: ListedReport) -> [String] {
        let unknown = listed.facts == nil ? "?" : "-"
        return [
            listed.id, UTCTime.timestamp(listed.time), listed.facts?.reason ?? unknown,
            listed.state,
            String(listed.report.uploadAttempts), listed.facts?.program ?? unknown,
        ]
    }

    private static func row(_ group: ReportGroup) -> [String] {
        [
            String(group.reports.count), UTCTime.timestamp(group.first),
            UTCTime.timestamp(group.last), group.reports.last?.id ?? "", group.title,
        ]
    }
}
