// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

enum ProgramDescription {
    /// `epitaph` if called by that name, a link in packages; otherwise `dump-convert`.
    static let name = name(calledAs: CommandLine.arguments.first ?? "")

    static func name(calledAs path: String) -> String {
        path.lastPathComponent == "epitaph" ? "epitaph" : "dump-convert"
    }

    static let version = EPITAPH_VERSION

    static let abstract =
        "turns the dumps of crashed processes into reports, explains them and sends them"

    typealias Entry = (name: String, meaning: String)

    static let exitStatuses: [Entry] = [
        ("0", "everything was done"),
        (
            "1",
            "something could not be read, converted, sent or written; standard error says what"
        ),
        ("2", "the command line is wrong"),
        ("3", "the database, file or report named does not exist or cannot be opened"),
        ("126, 127", "the program for run cannot be executed, or does not exist"),
    ]

    static let environment: [Entry] = [
        ("EPITAPH_DATABASE", "the database of commands without --database"),
        ("EPITAPH_UPLOAD_URL", "where upload sends to without --url"),
        ("EPITAPH_LOG_URL", "where upload-logs sends to without --url"),
        ("NO_COLOR", "if set, no colours"),
        ("CLICOLOR_FORCE", "if not 0, colours even without a terminal"),
        ("CLICOLOR", "if 0, no colours"),
        ("TERM", "if dumb, no colours and no progress bar"),
        ("COLUMNS", "the width of a terminal that does not report its own"),
    ]

    static let files: [Entry] = [
        ("pending-dumps/<bundle-id>@<uuid>", "an intermediate dump that waits for process"),
        ("pending-dumps/<bundle-id>@<uuid>.locked", "a dump whose process may still run"),
        (
            "pending-dumps/<bundle-id>@<uuid>.converting-N",
            "a dump at its Nth attempt to be converted"
        ),
        (
            "quarantine/",
            "dumps that could not be converted in three attempts, and broken metadata"
        ),
        ("pending/<uuid>.dmp, .meta", "a report that waits to be sent"),
        ("completed/<uuid>.dmp, .meta", "a report that was sent, or will not be sent"),
        (
            "signatures/<uuid>",
            "the signature of a report, kept so that list --group need not compute it again"
        ),
        ("settings.dat", "whether uploads are on, and this installation's id"),
        ("settings.dat.corrupt-SECONDS", "settings that were broken"),
        ("prune-clock", "the time at which prune ran last"),
        (
            "crash-counts/counts",
            "how many crashes there were, by program, version and kind, and which reports they are"
        ),
    ]
}
