// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphFleet
import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

enum FleetCommand {
    static let description = CommandDescription(
        name: "fleet",
        abstract: "show what crashed in a week, on one machine or many",
        discussion: """
            Counts the crashes of a time: how many in each hour, by signature; which signatures
            crash most, and which are new; in which releases and on which machines. The numbers are
            those of a table in ClickHouse, which the page fleet.md describes and "explain --insert"
            fills, or of the reports in databases of this machine: those that are named, or
            else those of the service's configuration. No row and no report is changed.

            Without another option the numbers are printed as text. --html writes a page for a
            browser that needs no other file and runs no scripts; --json prints the same for
            programs. New is what has no crash before the time that is shown, as far back as the
            table or the databases go.

            What changed is judged against the same time before, for a week the week before: new is
            a signature that never crashed before, back is one that a release lacked, worse is one
            that crashes more often than chance explains; the page says how that is computed. With
            --alert the exit status is \(ExitStatus.alert.rawValue) if there is such a signature, for a timer or a pipeline
            that stops a release, and \(ExitStatus.incomplete.rawValue) if it cannot be told.

            A report that is there twice counts once. What could not be read is said on standard
            error and on the page.
            """,
        operands: [],
        options: [
            clickHouse, .caFile, databases, since, until, .html, .replacesPage, reportAddress,
            json, alert, then,
            SymbolOptions.groupSymbols,
        ],
        examples: [
            .init(
                "fleet --clickhouse @/etc/epitaph/clickhouse --html week.html",
                "draws the last week of all machines from the table that the file names."),
            .init(
                "fleet --since 6h --alert new,worse=3x",
                "ends with status 4 if there is a new crash, or one at least 3 times as frequent."),
            .init("fleet --since 30d", "prints what crashed on this machine in the last 30 days."),
        ],
        run: run)

    private static let clickHouse = OptionDescription(
        "clickhouse", value: "PLACE", excludes: ["database", "symbols"],
        "the table, clickhouse:http://HOST:8123/DATABASE.TABLE; @FILE, @credential:NAME or "
            + "@env:NAME is where that is written, with user and password")
    private static let databases = OptionDescription.databases
    private static let since = OptionDescription(
        "since", value: "TIME", kind: .time,
        "count crashes from this time on: 2026-08-22, 2026-08-22T03:14:05Z (UTC unless it says otherwise), "
            + "or a span before now: 2d, 12h, 30m; default: 7d")
    private static let until = OptionDescription(
        "until", value: "TIME", kind: .time, "count crashes before this time; default: now")
    private static let reportAddress = OptionDescription(
        "report-url", value: "URL",
        "with --html: link each report to this http: or https: address, with its id for {uuid}")
    private static let alert = OptionDescription(
        "alert", value: "WHAT",
        "end with status 4 if there is any of WHAT: new, back, worse, worse=3x (at least three "
            + "times as frequent); several with commas")
    private static let then = OptionDescription(
        "then", value: "COMMAND",
        "with --alert: run this command, split at blanks, if there is any; each finding is one more "
            + "argument")
    private static let json = OptionDescription(
        "json", excludes: ["html"], "print JSON for programs")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let span = try span(arguments)
        let alert = try FleetAlarm(
            arguments.value(of: alert), then: arguments.value(of: then), of: description)
        let address = try arguments.value(of: reportAddress).map(checkedAddress)
        // Fail before the work, which may take long.
        let page = try arguments.value(of: .html).map { path throws(CommandFailure) in
            try PageTarget(path, replaces: arguments.has(.replacesPage))
        }
        let found: CountedWeek
        if let place = arguments.value(of: clickHouse) {
            found = try week(of: place, span, arguments, output)
        } else {
            found = try LocalFleet.week(span, arguments, output)
        }
        if let page {
            let drawn = FleetPage(
                found.week, source: found.source, remarks: found.remarks, reportAddress: address)
            try page.write(drawn.pieces, output)
        } else if arguments.has(json) {
            output.print(PrintedJSON(found).text)
        } else {
            FleetText(found: found).print(to: output)
        }
        try alert?.judge(found.week, output)
    }

    private static func checkedAddress(_ text: String) throws(CommandFailure) -> String {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.contains("{uuid}")
        else {
            throw CommandFailure(
                usage: "--report-url takes an http: or https: address with {uuid} in it",
                of: description)
        }
        return text
    }

    private static func span(_ arguments: ParsedArguments) throws(CommandFailure) -> WeekSpan {
        let now = SystemWallClock().now()
        func time(_ option: OptionDescription) -> Timestamp? {
            arguments.value(of: option).flatMap { UTCTime.date(parsing: $0, now: now) }
        }
        let until = time(until) ?? now
        let since =
            time(since) ?? Timestamp(secondsSince1970: until.secondsSince1970 - 7 * 86_400)
        guard let span = WeekSpan(since: since, until: until) else {
            throw CommandFailure(
                usage: "there is nothing to count from \(UTCTime.text(since)) to "
                    + "\(UTCTime.text(until)): the first time has to be the earlier one, and "
                    + "both between 1970 and 2106", of: description)
        }
        return span
    }

    private static func week(
        of place: String, _ span: WeekSpan, _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) -> CountedWeek {
        let location = try ClickHouseOption.location(place, of: description, output)
        let transport = try ClickHouseOption.transport(arguments) {
            $0.keptResponseBytes = TableWeek.answerBytes
        }
        let table = TableWeek(
            ClickHouseClient(location, by: transport, timeLimits: TableWeek.timeLimits), span)
        return try output.progress.during("asking the table") { () throws(CommandFailure) in
            CountedWeek(week: try orFail(table.read()), source: "the \(location)", remarks: [])
        }
    }
}

struct CountedWeek {
    let week: FleetWeek
    /// A noun: `the table crashes of http://host:8123`.
    let source: String
    let remarks: [String]
}
