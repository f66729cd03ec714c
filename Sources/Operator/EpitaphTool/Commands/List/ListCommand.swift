// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphValues

enum ListCommand {
    static let description = CommandDescription(
        name: "list",
        abstract: "list the reports of a database, or of this machine",
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

            --database can be given for several databases; without it and $EPITAPH_DATABASE those
            of the service's configuration are listed. Of several, the column DATABASE says where
            each report is. On a terminal ids and times are shortened if a line would be too long, and the
            least important columns are left out.

            Standard error reports how many dumps wait to become reports.

            Without a command, the program lists the latest 20 reports of this machine, the newest
            first.
            """,
        operands: [],
        options: [.databases, group, reverse] + ListFilter.options
            + [.json, SymbolOptions.groupSymbols, SymbolOptions.sysroot, SymbolOptions.debuginfod],
        examples: [
            .init("list --database /var/lib/exampled/crashes", "lists all reports of a daemon."),
            .init(
                "list --group --since 2d", "shows what died in the last two days, and how often."),
            .init(
                "list --program nginx --signal segv --limit 5",
                "lists the latest five segmentation faults of one program."),
        ],
        run: run)

    private static let group = OptionDescription(
        "group", "print one line for all reports with the same signature")
    private static let reverse = OptionDescription(
        "reverse", short: "r", "print the newest first")

    /// The latest reports of the machine, for a call without a command; false without a database.
    static func listLatest(_ output: Output) throws(CommandFailure) -> Bool {
        let paths = NamedDatabases.watched(output)
        guard !paths.isEmpty else { return false }
        let arguments = try orMisuse(
            of: description, ParsedArguments(["--reverse", "--limit", "20"], for: description))
        try list(paths, arguments, output)
        return true
    }

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let paths = try NamedDatabases.orWatched(
            arguments, of: description, isOne: false, output)
        try list(paths, arguments, output)
    }

    private static func list(
        _ paths: [String], _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let filter = try orMisuse(of: description, ListFilter(arguments))
        let databases = try NamedDatabases.filed(paths, output)
        let servers = try SymbolOptions.servers(arguments, of: description, output)
        let lists = try databases.map { database throws(CommandFailure) in
            WaitingDumps(in: database).note(to: output)
            return DatabaseList(
                database: database,
                reports: try ListedReport.all(in: database, matching: filter, output),
                images: try SymbolOptions.images(
                    arguments, readAs: database.owner, servers: servers))
        }
        // Of a database where nothing was filed yet, that is said already.
        if !lists.isEmpty, lists.allSatisfy(\.reports.isEmpty), !arguments.has(.json) {
            let place = lists.count == 1 ? " in \(lists[0].database.path)" : ""
            output.note(
                filter.takesAll
                    ? "there is no report\(place)"
                    : "no report\(place) matches these options")
        }
        if arguments.has(group) {
            let groups = try ReportGroup.groups(
                of: lists,
                renewingPartial: hasOtherFiles(arguments), output)
            show(ordered(groups.suffix(filter.limit ?? .max), arguments), arguments, output)
        } else {
            // One database's are in order.
            let reports =
                lists.count == 1
                ? lists[0].reports
                : lists.flatMap(\.reports).sorted { $0.report.order < $1.report.order }
            show(
                ordered(reports.suffix(filter.limit ?? .max), arguments),
                ofSeveral: paths.count > 1, arguments, output)
        }
    }

    private static func ordered<Line>(
        _ lines: ArraySlice<Line>, _ arguments: ParsedArguments
    ) -> [Line] {
        arguments.has(reverse) ? lines.reversed() : Array(lines)
    }

    private static func hasOtherFiles(_ arguments: ParsedArguments) -> Bool {
        arguments.has(SymbolOptions.groupSymbols) || arguments.has(SymbolOptions.sysroot)
            || arguments.has(SymbolOptions.debuginfod)
    }

    private static func show(
        _ reports: [ListedReport], ofSeveral: Bool, _ arguments: ParsedArguments, _ output: Output
    ) {
        guard !arguments.has(.json) else { return output.print(PrintedJSON(reports).text) }
        guard !reports.isEmpty else { return }
        ReportTable(reports, showsDatabase: ofSeveral).table.print(to: output)
    }

    private static func show(
        _ groups: [ReportGroup], _ arguments: ParsedArguments, _ output: Output
    ) {
        guard !arguments.has(.json) else { return output.print(PrintedJSON(groups).text) }
        guard !groups.isEmpty else { return }
        GroupTable(groups).table.print(to: output)
    }
}

extension PrintedJSON {
    fileprivate init(_ reports: [ListedReport]) {
        let entries = reports.map { listed -> PrintedJSON in
            [
                "id": listed.id, "database": listed.databasePath, "path": listed.report.path,
                "time": PreciseTime.timestamp(listed.time),
                "filed": UTCTime.timestamp(listed.report.creationTime),
                "signal": listed.facts?.signal, "kind": listed.facts?.kind?.word,
                "program": listed.facts?.program, "state": listed.state,
                "uploadAttempts": listed.report.uploadAttempts,
                "isReadable": listed.facts != nil,
            ]
        }
        self.init(schema: "report-list", ["reports": entries])
    }

    fileprivate init(_ groups: [ReportGroup]) {
        let entries = groups.map { group -> PrintedJSON in
            [
                "signature": group.signature?.text, "identifier": group.signature?.identifier,
                "program": group.program, "count": group.reports.count,
                "first": PreciseTime.timestamp(group.first),
                "last": PreciseTime.timestamp(group.last), "reports": group.reports.map(\.id),
            ]
        }
        self.init(schema: "report-list", ["groups": entries])
    }
}
