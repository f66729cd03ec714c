// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

enum UploadCommand {
    static let description = CommandDescription(
        name: "upload",
        abstract: "send the pending reports to a server",
        discussion: """
            Sends each pending report with one HTTP request. A report the server accepted is
            completed. All others stay pending: after a temporary error a report is tried again a
            few times, and then by later runs at growing intervals; after a refusal it waits for
            --request. If a server refuses the address or the key, only one report is tried, at
            growing intervals; with another address or key all start afresh.

            A new database has uploads turned off, and then nothing is sent: --enable turns them
            on permanently, --once sends this time only. A destination can contain a password, and
            other users can see command lines: put such a destination into $EPITAPH_UPLOAD_URL,
            and a header with a secret into a file, one header per line, and name that file with
            --header @FILE.

            With --watch it runs until SIGTERM or SIGINT, alongside the daemons that use the
            database, and notices new reports at once and new settings within a minute.

            Prints one line for each report that was sent: its id, and its name on the server.
            Standard error reports everything else, with the counts and reasons at the end.
            """,
        operands: [],
        options: UploadOptions.all,
        examples: [
            .init(
                "upload --url https://crash.example.org/submit --once",
                "sends the pending reports in $EPITAPH_DATABASE; uploads stay off."),
            .init(
                "upload --watch",
                "sends reports to $EPITAPH_UPLOAD_URL as they arrive; for a service."),
            .init("upload --dry-run", "shows what would be sent, and sends nothing."),
            .init("upload --disable", "turns uploads off."),
        ],
        run: run)

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        try ReadableFiles.require(UploadOptions.readAtOnce, arguments)
        // A service waits for a file that its program has yet to make.
        if !arguments.has(UploadOptions.watch) {
            try ReadableFiles.require([UploadOptions.attach], arguments)
        }
        let headers = try HeaderOption.headers(
            arguments.values(of: UploadOptions.header), of: description)
        let setup = try orMisuse(of: description, UploadSetup(arguments, headers: headers))
        let isDryRun = arguments.has(UploadOptions.dryRun)
        let path = arguments.value(of: .requiredDatabase) ?? ""
        let reporting = UploadReporting(
            output, isJSON: arguments.has(UploadOptions.json), isDryRun: isDryRun,
            databasePath: path)
        let found =
            isDryRun
            ? try ReportDatabase.ifFiled(named: path)
            : try ReportDatabase(named: path, ifMissing: .create)
        guard let database = found else { return reporting.finish() }
        database.noteRepairs(to: output)
        try choose(arguments, database, output)
        guard let setup else { return }
        if isDryRun {
            try UploadDryRun(setup: setup, database: database, reporting: reporting).run()
        } else {
            try send(arguments, setup, database, reporting)
        }
    }

    private static func choose(
        _ arguments: ParsedArguments, _ database: ReportDatabase, _ output: Output
    ) throws(CommandFailure) {
        if arguments.has(UploadOptions.enable) || arguments.has(UploadOptions.disable) {
            let isEnabled = arguments.has(UploadOptions.enable)
            _ = try onDatabase(database.updateSettings { $0.uploadsEnabled = isEnabled })
        }
        for word in arguments.values(of: UploadOptions.request) {
            request(word, database, output)
        }
    }

    private static func request(_ word: String, _ database: ReportDatabase, _ output: Output) {
        do throws(DatabaseError) {
            guard word == "all" else {
                return try database.requestUpload(of: try database.report(matching: word).uuid)
            }
            for report in try database.reports(.pending).reports {
                do throws(DatabaseError) {
                    try database.requestUpload(of: report.uuid)
                } catch {
                    announce(error, output)
                }
            }
        } catch {
            announce(error, output)
        }
    }

    private static func announce(_ error: DatabaseError, _ output: Output) {
        let failure = CommandFailure(error)
        output.complain(failure.sentence, status: failure.status)
    }

    private static func send(
        _ arguments: ParsedArguments, _ setup: UploadSetup, _ database: ReportDatabase,
        _ reporting: UploadReporting
    ) throws(CommandFailure) {
        do {
            let stop = try StopSignal()
            try TerminationSignals.stop(stop, graceSeconds: 10)
            var session = try UploadSession(setup, database, reporting, stop)
            if arguments.has(UploadOptions.watch) {
                reporting.isWatching = true
                session.watch()
                reporting.finish()
            } else {
                try session.pass()
                reporting.finish()
            }
        } catch {
            throw CommandFailure(.incomplete, "\(error)")
        }
    }
}
