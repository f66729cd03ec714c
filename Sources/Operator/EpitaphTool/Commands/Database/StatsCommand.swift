// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphEvents
import EpitaphExplanation
import EpitaphService
import EpitaphSystem
import EpitaphValues

enum StatsCommand {
    static let description = CommandDescription(
        name: "stats",
        abstract: "show how much of the programs' sessions went without a crash",
        discussion: """
            Prints a line of headings and one line for each program whose sessions are kept in the
            database. The columns are separated by spaces:

            SESSIONS whose end is known; CRASHED and CUT, how many of them ended by a crash, or by a
            kill or a stop of the machine; UNKNOWN, sessions whose end is not known; RUNNING
            sessions; FREE, the share of the sessions with a known end that did not crash; USERS of
            these sessions; FREE, the share of users without a crash; HOURS of all sessions;
            PER-CRASH, hours for each crash in a session; OUTSIDE, crashes in moments without a
            session; ERRORS that the program handled; PROGRAM. A hyphen stands for a figure that
            cannot be computed.

            With --prometheus the same figures are written to a file for node_exporter's textfile
            collector, in one step, so that it never reads half of them. Everybody can read that
            file. With --crashes the file also has counters of crashes by program, version and kind,
            which "\(ProgramDescription.name) watch" writes by itself; they are kept in the directory crash-counts
            of the database, so that they do not go back when reports are removed. Changes nothing
            else in the database.

            With --rows it prints a line of JSON for each hour in which a program had sessions, for
            the table host_hours of docs/fleet.md. A program is named as in reports, by its file, if
            the database has one program and its reports; otherwise by its bundle id, or --program.
            """,
        operands: [],
        options: [
            .requiredDatabase, days, prometheus, crashes, .json, HourRows.rows, HourRows.host,
            HourRows.program,
        ],
        examples: [
            .init(
                "stats --database /var/lib/exampled/crashes",
                "shows the figures of the last 30 days."),
            .init(
                "stats --days 1 --prometheus /srv/metrics/epitaph.prom",
                "writes the figures of today for Prometheus."),
            .init(
                "stats --days 2 --rows",
                "prints how long the programs ran in each hour since yesterday, for ClickHouse."),
        ],
        run: run)

    private static let days = OptionDescription(
        "days", value: "N", kind: .count,
        "count the last N days in UTC, today included; default: 30")
    private static let prometheus = OptionDescription(
        "prometheus", value: "FILE", kind: .file,
        "write the figures to FILE for node_exporter, and replace it if it exists")
    private static let crashes = OptionDescription(
        "crashes", "with --prometheus: add counters of the crashes since they are counted")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let path = arguments.value(of: .requiredDatabase) ?? ""
        let directory = try ReportDatabase.checkedDirectory(path)
        let file = try arguments.value(of: prometheus).map { path throws(CommandFailure) in
            try OutputFile(path, existing: .replace)
        }
        try file?.check()
        guard file != nil || !arguments.has(crashes) else {
            throw CommandFailure(usage: "--crashes needs --prometheus FILE", of: description)
        }
        let database = try ReportDatabase.ifFiled(in: directory)
        guard !arguments.has(HourRows.rows) else {
            guard file == nil, !arguments.has(.json) else {
                throw CommandFailure(usage: "--rows prints nothing else", of: description)
            }
            return try HourRows(directory, database, path, arguments, output).print(
                days: arguments.count(of: days) ?? 30)
        }
        guard !arguments.has(HourRows.host), !arguments.has(HourRows.program) else {
            throw CommandFailure(usage: "--host and --program need --rows", of: description)
        }
        let history = database.map { RecordedEndings($0) }
        let statistics = try orFail(
            saying: "cannot read the sessions of \(path): ",
            SessionStatistics(
                inDatabase: directory, days: arguments.count(of: days) ?? 30,
                now: SystemWallClock().now(), endings: history)
        )
        let counters =
            arguments.has(crashes) ? try database.map(counters(of:)) ?? "" : ""
        try file?.fill(permissions: 0o644) { sink throws(SystemError) in
            try sink.append(Array((PrometheusText(statistics).text + counters).utf8))
        }
        if arguments.has(.json) {
            output.print(PrintedJSON(statistics).text)
        } else if file == nil {
            let rows = statistics.programs.map(row)
            if !rows.isEmpty { ListTable.print(.init(headings, rows), to: output) }
        }
        tell(statistics, in: path, output)
    }

    private static func counters(of database: ReportDatabase) throws(CommandFailure) -> String {
        let reports = try onDatabase(database.allReports().reports)
        var writer = PrometheusWriter()
        CrashCounts.write(
            [database.path: try CrashLedger(database: database).counts(with: reports)], to: &writer)
        return writer.text
    }

    private static let headings = [
        "SESSIONS", "CRASHED", "CUT", "UNKNOWN", "RUNNING", "FREE", "USERS", "FREE", "HOURS",
        "PER-CRASH", "OUTSIDE", "ERRORS", "PROGRAM",
    ]

    private static func row(_ program: SessionStatistics.Program) -> [String] {
        let details = program.errorFree
        return [
            "\(details.sessions)", "\(details.crashedSessions)",
            "\(program.interruptedSessions)", "\(details.unknownSessions)",
            "\(program.runningSessions)", share(details.crashFreeSessions), "\(details.users)",
            share(details.crashFreeUsers), decimal(details.hours),
            details.hoursPerCrash.map(decimal) ?? "-", "\(program.crashesWithoutSession)",
            "\(program.handledErrors)", program.bundleID,
        ]
    }

    private static func share(_ share: Double?) -> String {
        guard let share else { return "-" }
        return decimal((share * 10_000).rounded(.down) / 100) + "%"
    }

    private static func decimal(_ number: Double) -> String {
        let hundredths = Int(min(max((number * 100).rounded(), 0), 1e15))
        let digits = String(hundredths % 100)
        return "\(hundredths / 100)." + (digits.count < 2 ? "0" : "") + digits
    }

    private static func tell(
        _ statistics: SessionStatistics, in path: String, _ output: Output
    ) {
        if statistics.programs.isEmpty {
            output.note("there is no session of the last \(statistics.days) days in \(path)")
        }
        if statistics.damagedLines > 0 {
            output.note(
                "\(statistics.damagedLines) lines of the kept sessions hold none and are not counted"
            )
        }
        if !statistics.isComplete {
            output.note("the figures lack sessions that were not kept or cannot be read")
        }
    }
}

extension PrintedJSON {
    fileprivate init(_ statistics: SessionStatistics) {
        let programs = statistics.programs.map { program -> PrintedJSON in
            let details = program.errorFree
            let sessions = Dictionary(
                uniqueKeysWithValues: program.outcomes.map { ($0.name, $0.count) })
            return [
                "program": program.bundleID, "sessions": sessions, "users": details.users,
                "crashedUsers": details.crashedUsers, "hours": details.hours,
                "crashFreeSessions": details.crashFreeSessions,
                "crashFreeUsers": details.crashFreeUsers,
                "hoursPerCrash": details.hoursPerCrash,
                "crashesWithoutSession": program.crashesWithoutSession,
                "handledErrors": program.handledErrors,
            ]
        }
        self.init(
            schema: "stats",
            [
                "days": statistics.days, "isComplete": statistics.isComplete,
                "damagedLines": statistics.damagedLines, "programs": programs,
            ])
    }
}
