// SPDX-License-Identifier: Apache-2.0

/// All commands, in the order in which a report passes through them.
let commands: [CommandDescription] = [
    ProcessCommand.description, ListCommand.description, ShowCommand.description,
    UploadCommand.description, UploadLogsCommand.description, PruneCommand.description,
    StatsCommand.description, SettingsCommand.description, ConvertCommand.description,
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
}

/// `--color`, in the spelling that other programs use.
enum ColourOption {
    static let color = OptionDescription(
        "color", value: "WHEN", kind: .choice(["auto", "always", "never"]),
        "colour the text: auto (on a terminal, as NO_COLOR, CLICOLOR and TERM allow), always, never"
    )

    /// Nil if the terminal and the environment decide.
    static func choice(_ arguments: ParsedArguments) -> Bool? {
        switch arguments.value(of: color) {
        case "always": true
        case "never": false
        default: nil
        }
    }
}
