// SPDX-License-Identifier: Apache-2.0

/// All commands, in the order a report meets them.
let commands: [CommandDescription] = [
    ProcessCommand.description, ListCommand.description, ShowCommand.description,
    UploadCommand.description, ConvertCommand.description,
]

extension OptionDescription {
    static let database = OptionDescription(
        "database", value: "DIR", environmentVariable: "EPITAPH_DATABASE",
        "the directory of the crash report database")

    static let requiredDatabase = OptionDescription(
        database.long, value: database.valueName, isRequired: true,
        environmentVariable: database.environmentVariable, database.abstract)
}
