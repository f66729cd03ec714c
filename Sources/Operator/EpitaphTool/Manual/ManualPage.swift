// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum ManualPage {
    static func program(_ commands: [CommandDescription]) -> [String] {
        let names = commands.map { "\(ProgramDescription.name)-\($0.name)" }
        return title(ProgramDescription.name)
            + [Roff.text("\(ProgramDescription.name) - ") + Roff.text(ProgramDescription.abstract)]
            + [
                Roff.section("SYNOPSIS"),
                Roff.bold(ProgramDescription.name) + " " + Roff.italic("COMMAND")
                    + " [" + Roff.italic("OPTION") + "]...",
                ".br", Roff.bold("\(ProgramDescription.name) --version"),
                Roff.section("COMMANDS"),
            ]
            + commands.flatMap { Roff.entry(Roff.bold($0.name), $0.abstract) }
            + [
                ".PP",
                Roff.text(
                    "Each command has a page of its own; \"\(ProgramDescription.name) COMMAND --help\" tells the "
                        + "same."),
            ]
            + list("EXIT STATUS", ProgramDescription.exitStatuses)
            + list("ENVIRONMENT", ProgramDescription.environment)
            + list("FILES", ProgramDescription.files, "Below the directory of the database:")
            + seeAlso(names)
    }

    static func command(_ command: CommandDescription) -> [String] {
        let name = "\(ProgramDescription.name)-\(command.name)"
        let operands = command.operands.map { $0.synopsis(styled: Roff.italic) }
        let synopsis =
            [Roff.bold("\(ProgramDescription.name) \(command.name)")]
            + ["[" + Roff.italic("OPTION") + "]..."] + required(command) + operands
        return title(name)
            + [Roff.text("\(name) - \(command.abstract)")]
            + [Roff.section("SYNOPSIS"), synopsis.joined(separator: " ")]
            + [Roff.section("DESCRIPTION")] + Roff.paragraphs(command.discussion)
            + (command.operands.isEmpty ? [] : [Roff.section("OPERANDS")])
            + command.operands.flatMap { Roff.entry(Roff.italic($0.name), $0.abstract) }
            + [Roff.section("OPTIONS")]
            + (command.options + [.help]).flatMap { Roff.entry(synopsisOf($0), $0.explanation) }
            + examples(command.examples)
            + list("EXIT STATUS", ProgramDescription.exitStatuses)
            + list("ENVIRONMENT", environment(of: command)) + seeAlso([ProgramDescription.name])
    }

    /// The date stays empty: the version says more, and the page is reproducible.
    private static func title(_ name: String) -> [String] {
        let version = "\(ProgramDescription.name) \(ProgramDescription.version)"
        return [
            ".TH \(Roff.text(name.uppercased())) 1 \"\" \"\(Roff.text(version))\" \"Epitaph\"",
            Roff.section("NAME"),
        ]
    }

    private static func required(_ command: CommandDescription) -> [String] {
        command.requiredOptions.map { option in
            Roff.bold(option.briefName) + (option.valueName.map { " " + Roff.italic($0) } ?? "")
        }
    }

    /// `-o, --output FILE`, the names bold and the value italic.
    private static func synopsisOf(_ option: OptionDescription) -> String {
        let names = (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.long)"]
        return names.map(Roff.bold).joined(separator: ", ")
            + (option.valueName.map { " " + Roff.italic($0) } ?? "")
    }

    private static func examples(_ examples: [CommandDescription.Example]) -> [String] {
        guard !examples.isEmpty else { return [] }
        return [Roff.section("EXAMPLES")]
            + examples.enumerated().flatMap { index, example in
                (index == 0 ? [] : [".PP"])
                    + [Roff.text(example.meaning.capitalisedFirst)]
                    + Roff.example(example.commandLine)
            }
    }

    private static func environment(of command: CommandDescription) -> [ProgramDescription.Entry] {
        let names = Set(command.options.compactMap(\.environmentVariable))
        let hasColour = command.options.contains { $0.long == "color" }
        return ProgramDescription.environment.filter { entry in
            entry.name.hasPrefix("EPITAPH_") ? names.contains(entry.name) : hasColour
        }
    }

    private static func list(
        _ title: String, _ entries: [ProgramDescription.Entry], _ introduction: String? = nil
    ) -> [String] {
        guard !entries.isEmpty else { return [] }
        return [Roff.section(title)] + (introduction.map { [Roff.text($0)] } ?? [])
            + entries.flatMap { Roff.entry(Roff.bold($0.name), $0.meaning) }
    }

    private static func seeAlso(_ names: [String]) -> [String] {
        [Roff.section("SEE ALSO"), names.map { Roff.bold($0) + "(1)" }.joined(separator: ", ")]
    }
}

extension String {
    var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
