// SPDX-License-Identifier: Apache-2.0

/// All commands, in the order in which a report passes through them.
let commands: [CommandDescription] = [
    RunCommand.description, CoveredCommand.description,
    ProcessCommand.description, ListCommand.description, ShowCommand.description,
    DiffCommand.description, ExplainCommand.description,
    UploadCommand.description, UploadLogsCommand.description, PruneCommand.description,
    WatchCommand.description, ConfigCommand.description,
    StatsCommand.description, FleetCommand.description, SettingsCommand.description,
    SymbolsCommand.description,
    ConvertCommand.description,
    DebugCommand.description, CorePipeCommand.description,
    CompletionCommand.description,
    ManCommand.description,
]

extension OptionDescription {
    static let database = OptionDescription(
        "database", value: "DIR", kind: .directory, environmentVariable: "EPITAPH_DATABASE",
        "the directory of the crash report database")

    static let requiredDatabase = OptionDescription(
        database.long, value: database.valueName, kind: database.kind, isRequired: true,
        environmentVariable: database.environmentVariable, database.abstract)

    static let databases = OptionDescription(
        database.long, value: database.valueName, kind: database.kind, isRepeatable: true,
        environmentVariable: database.environmentVariable, database.abstract)

    static let json = OptionDescription("json", "print JSON for programs")

    static let html = OptionDescription(
        "html", value: "FILE", kind: .file, "write an HTML page; - is standard output")
    static let replacesPage = OptionDescription(
        "force", short: "f", "replace the FILE of --html if it exists")

    static let caFile = OptionDescription(
        "ca-file", value: "FILE", kind: .file,
        "trust the certificates in this PEM file instead of the system's")
}

enum ColourOption {
    static let color = OptionDescription(
        "color", value: "WHEN", kind: .choice(["auto", "always", "never"]),
        "colour the text: auto (on a terminal, as NO_COLOR, CLICOLOR and TERM allow), always, never"
    )

    /// Nil leaves it to the terminal and the environment.
    static func choice(_ arguments: ParsedArguments) -> Bool? {
        switch arguments.value(of: color) {
        case "always": true
        case "never": false
        default: nil
        }
    }
}
