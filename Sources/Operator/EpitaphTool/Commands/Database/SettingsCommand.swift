// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphValues

enum SettingsCommand {
    static let description = CommandDescription(
        name: "settings",
        abstract: "show or change the settings of a database",
        discussion: """
            Prints whether uploads are on, the id that marks this installation's reports, and the
            time of the last attempt to send a report. Without --enable-uploads or
            --disable-uploads nothing is changed, and read access to the database is enough.

            A new database has uploads turned off. --enable-uploads and --disable-uploads change
            that permanently, for the daemon as well; they send nothing.

            Without --database and $EPITAPH_DATABASE the databases of the service's configuration
            are shown. A change, and --json, need one.

            The next change moves a broken settings file to settings.dat.corrupt-SECONDS and makes
            a new one. A file written by a later version is left alone.
            """,
        operands: [],
        options: [.database, enable, disable, .json],
        examples: [
            .init(
                "settings --database /var/lib/exampled/crashes",
                "shows the settings of a daemon's database."),
            .init("settings --disable-uploads", "withdraws the consent to uploads."),
        ],
        run: run)

    private static let enable = OptionDescription(
        "enable-uploads", excludes: ["disable-uploads"], "allow reports to be sent, permanently")
    private static let disable = OptionDescription(
        "disable-uploads", excludes: ["enable-uploads"],
        "send no reports without a request, permanently")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let isChange = arguments.has(enable) || arguments.has(disable)
        let paths = try NamedDatabases.orWatched(
            arguments, of: description, isOne: isChange || arguments.has(.json), output)
        try NamedDatabases.each(of: paths, output) { path throws(CommandFailure) in
            if paths.count > 1 { output.print("database: \(path)") }
            let database = try ReportDatabase(named: path, ifMissing: isChange ? .create : .fail)
            try treat(database, isChange: isChange, arguments, output)
        }
    }

    private static func treat(
        _ database: ReportDatabase, isChange: Bool, _ arguments: ParsedArguments,
        _ output: Output
    ) throws(CommandFailure) {
        database.noteRepairs(to: output)
        let settings = try onDatabase(
            isChange
                ? database.updateSettings { $0.uploadsEnabled = arguments.has(enable) }
                : database.storedSettings())
        if arguments.has(.json) {
            output.print(PrintedJSON(settings).text)
        } else {
            rows(settings).forEach { output.print($0) }
        }
        let problem = try onDatabase(database.settingsProblem())
        if let problem { output.complain(problem) }
    }

    private static func rows(_ settings: DatabaseSettings?) -> [String] {
        [
            "uploads: \(settings?.uploadsEnabled == true ? "on" : "off")",
            "client-id: \(settings.map { $0.clientID.description } ?? "none yet")",
            "last-upload-attempt: "
                + (settings?.lastUploadAttemptTime.map { UTCTime.timestamp($0) } ?? "never"),
        ]
    }
}

extension PrintedJSON {
    fileprivate init(_ settings: DatabaseSettings?) {
        self.init(
            schema: "settings",
            [
                "uploadsEnabled": settings?.uploadsEnabled == true,
                "clientID": settings?.clientID.description,
                "lastUploadAttempt": settings?.lastUploadAttemptTime.map { UTCTime.timestamp($0) },
            ])
    }
}
