// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

/// Texts about the program as a whole, for `--help` and the manual pages.
enum ProgramDescription {
    /// `epitaph` where the program was called by that name, a link that packages make for people;
    /// `dump-convert` wherever else it came from.
    static let name = name(calledAs: CommandLine.arguments.first ?? "")

    static func name(calledAs path: String) -> String {
        path.split(separator: "/").last == "epitaph" ? "epitaph" : "dump-convert"
    }

    static let version = EPITAPH_VERSION

    static let abstract =
        "turns the dumps of crashed processes into reports, explains them and sends them"

    struct Entry {
        let name: String
        let meaning: String

        init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    static let exitStatuses = [
        Entry("0", "everything was done"),
        Entry(
            "1",
            "something could not be read, converted, sent or written; standard error says what"),
        Entry("2", "the command line is wrong"),
        Entry("3", "the database, file or report named does not exist or cannot be opened"),
        Entry("126, 127", "the program for run cannot be executed, or does not exist"),
    ]

    static let environment = [
        Entry("EPITAPH_DATABASE", "the database of commands without --database"),
        Entry("EPITAPH_UPLOAD_URL", "where upload sends to without --url"),
        Entry("EPITAPH_LOG_URL", "where upload-logs sends to without --url"),
        Entry("NO_COLOR", "if set, no colours"),
        Entry("CLICOLOR_FORCE", "if not 0, colours even without a terminal"),
        Entry("CLICOLOR", "if 0, no colours"),
        Entry("TERM", "if dumb, no colours and no progress bar"),
        Entry("COLUMNS", "the width of a terminal that does not report its own"),
    ]

    static let files = [
        Entry(
            "pending-dumps/<bundle-id>@<uuid>", "an intermediate dump that waits for process"),
        Entry("pending-dumps/<bundle-id>@<uuid>.locked", "a dump whose process may still run"),
        Entry(
            "pending-dumps/<bundle-id>@<uuid>.converting-N",
            "a dump at its Nth attempt to be converted"),
        Entry(
            "quarantine/",
            "dumps that could not be converted in three attempts, and broken metadata"),
        Entry("pending/<uuid>.dmp, .meta", "a report that waits to be sent"),
        Entry("completed/<uuid>.dmp, .meta", "a report that was sent, or will not be sent"),
        Entry(
            "signatures/<uuid>",
            "the signature of a report, kept so that list --group need not compute it again"),
        Entry("settings.dat", "whether uploads are on, and this installation's id"),
        Entry("settings.dat.corrupt-SECONDS", "settings that were broken"),
        Entry("prune-clock", "the time at which prune ran last"),
        Entry(
            "crash-counts/counts",
            "how many crashes there were, by program, version and kind, and which reports they are"),
    ]
}
