// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials
import ReportDatabase

/// `dump-convert settings`
enum SettingsCommand {
    static let description = CommandDescription(
        name: "settings",
        abstract: "show or change what a database remembers",
        discussion: """
            Prints whether uploads are on, the id that tells this installation's reports from
            others', and when a report was last tried to be sent. Without an option that changes
            something nothing is changed, and a database that can only be read will do.

            A database is made with uploads off. --enable-uploads and --disable-uploads change that
            for good, for the daemon as well; nothing is sent by it.

            A settings file that is broken is kept aside at the next change, as
            settings.dat.corrupt-SECONDS, and new ones are made. One that a later program wrote is
            left alone.
            """,
        operands: [],
        options: [.requiredDatabase, enable, disable, json],
        examples: [
            .init(
                commandLine: "dump-convert settings --database /var/lib/exampled/crashes",
                meaning: "shows the settings of a daemon's database."),
            .init(
                commandLine: "dump-convert settings --disable-uploads",
                meaning: "withdraws the consent to uploads."),
        ],
        run: run)

    private static let enable = OptionDescription(
        "enable-uploads", excludes: ["disable-uploads"], "allow reports to be sent, for good")
    private static let disable = OptionDescription(
        "disable-uploads", excludes: ["enable-uploads"], "send no reports unasked, for good")
    private static let json = OptionDescription("json", "print JSON for programs")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let isChange = arguments.has(enable) || arguments.has(disable)
        let database = try ReportDatabase(
            named: arguments.value(of: .requiredDatabase) ?? "",
            ifMissing: isChange ? .create : .fail)
        database.noteGivenBack(to: output)
        let settings = try onDatabase { () throws(DatabaseError) in
            guard isChange else { return try database.storedSettings() }
            return try database.updateSettings { $0.uploadsEnabled = arguments.has(enable) }
        }
        if arguments.has(json) {
            output.print(SettingsJSON(settings).text)
        } else {
            rows(settings).forEach { output.print($0) }
        }
        let problem = try onDatabase { () throws(DatabaseError) in try database.settingsProblem() }
        if let problem { output.complain(problem) }
    }

    private static func rows(_ settings: DatabaseSettings?) -> [String] {
        [
            "uploads: \(settings?.uploadsEnabled == true ? "on" : "off")",
            "client-id: \(settings.map { $0.clientID.uuidString.lowercased() } ?? "none yet")",
            "last-upload-attempt: "
                + (settings?.lastUploadAttemptTime.map { UTCTime.timestamp($0) } ?? "never"),
        ]
    }
}

/// What `settings --json` prints.
private struct SettingsJSON: PrintedJSON {
    let schema = "urn:epitaph:settings"
    let schemaVersion = 1
    let uploadsEnabled: Bool
    let clientID: String?
    let lastUploadAttempt: String?

    init(_ settings: DatabaseSettings?) {
        uploadsEnabled = settings?.uploadsEnabled == true
        clientID = settings?.clientID.uuidString.lowercased()
        lastUploadAttempt = settings?.lastUploadAttemptTime.map { UTCTime.timestamp($0) }
    }
}
