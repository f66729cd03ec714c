// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportDatabase
import ReportUpload

/// `dump-convert upload`
enum UploadCommand {
    static let description = CommandDescription(
        name: "upload",
        abstract: "send the pending reports to a server",
        discussion: """
            Sends each pending report with one HTTP request. A report the server took is filed as
            completed. Any other stays pending: after an error that may pass it is tried again a
            few times, and by later runs ever more rarely; after a refusal it waits for --request.
            A server that refuses the address or its key is not asked for each report, but tried
            with one, ever more rarely; another address or key starts afresh.

            A database is made with uploads off, and then nothing is sent: --enable turns them on
            for good, --once sends this time only. A destination can hold a password and other
            users can see command lines: put such a one into $EPITAPH_UPLOAD_URL, and a header that
            holds one into a file, one header a line, that --header names behind an @.

            With --watch it runs until it is told to stop, beside the daemons that use the
            database, and notices new reports at once, new settings within a minute.

            Prints one line for each report that was sent: its id, and what the server calls it.
            Standard error tells the rest, with the counts and reasons at the end.
            """,
        operands: [],
        options: UploadOptions.all,
        examples: [
            .init(
                commandLine: "dump-convert upload --url https://crash.example.org/submit --once",
                meaning: "sends what is pending in $EPITAPH_DATABASE, and leaves uploads off."),
            .init(
                commandLine: "dump-convert upload --watch",
                meaning: "sends reports to $EPITAPH_UPLOAD_URL as they come, for a service."),
            .init(
                commandLine: "dump-convert upload --dry-run",
                meaning: "tells what would be sent, and sends nothing."),
            .init(
                commandLine: "dump-convert upload --disable",
                meaning: "turns uploads off."),
        ],
        run: run)

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let headers = try HeaderOption.headers(
            arguments.values(of: UploadOptions.header), of: description)
        let setup: UploadSetup?
        do throws(UsageError) {
            setup = try UploadSetup(arguments, headers: headers)
        } catch {
            throw CommandFailure(usage: error, of: description)
        }
        let isDryRun = arguments.has(UploadOptions.dryRun)
        let path = arguments.value(of: .requiredDatabase) ?? ""
        let reporting = UploadReporting(
            output, form: arguments.has(UploadOptions.json) ? .json : .text, isDryRun: isDryRun,
            databasePath: path)
        let found =
            isDryRun
            ? try ReportDatabase.ifFiled(named: path)
            : try ReportDatabase(named: path, ifMissing: .create)
        guard let database = found else { return reporting.finish() }
        database.noteGivenBack(to: output)
        try choose(arguments, database, output)
        guard let setup else { return }
        if isDryRun {
            try UploadDryRun(setup, database, reporting).run()
        } else {
            try send(arguments, setup, database, reporting)
        }
    }

    /// What the command line decides for good.
    private static func choose(
        _ arguments: ParsedArguments, _ database: ReportDatabase, _ output: Output
    ) throws(CommandFailure) {
        if arguments.has(UploadOptions.enable) || arguments.has(UploadOptions.disable) {
            let isEnabled = arguments.has(UploadOptions.enable)
            _ = try onDatabase { () throws(DatabaseError) in
                try database.updateSettings { $0.uploadsEnabled = isEnabled }
            }
        }
        for word in arguments.values(of: UploadOptions.request) {
            request(word, database, output)
        }
    }

    /// One that cannot be asked for is told of, and keeps no other from being sent.
    private static func request(_ word: String, _ database: ReportDatabase, _ output: Output) {
        do throws(DatabaseError) {
            guard word == "all" else {
                return try database.requestUpload(of: try database.report(matching: word).uuid)
            }
            for report in try database.reports(.pending).reports {
                do throws(DatabaseError) {
                    try database.requestUpload(of: report.uuid)
                } catch {
                    tell(error, output)
                }
            }
        } catch {
            tell(error, output)
        }
    }

    private static func tell(_ error: DatabaseError, _ output: Output) {
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
                session.watch()
            } else {
                try session.pass()
                reporting.finish()
            }
        } catch {
            throw CommandFailure(.incomplete, "\(error)")
        }
    }
}
