// SPDX-License-Identifier: Apache-2.0

enum HelpText {
    private static let width = 80

    static func program(_ commands: [CommandDescription]) -> [String] {
        var lines = ["Usage: \(ProgramDescription.name) COMMAND [OPTION]...", ""]
        lines += wrapped(ProgramDescription.abstract.capitalisedFirst + ".", "")
        lines += ["", "Commands:"]
        lines += columns(commands.map { ($0.name, $0.abstract) })
        lines += ["", "Options:"]
        lines += columns([
            (OptionDescription.help.synopsis, OptionDescription.help.abstract),
            ("    --version", "print the version and exit"),
        ])
        lines += ["", "\"\(ProgramDescription.name) COMMAND --help\" explains a command.", ""]
        return lines + ["Exit status:"]
            + columns(ProgramDescription.exitStatuses.map { ($0.name, $0.meaning) })
    }

    static func command(_ command: CommandDescription) -> [String] {
        var lines = [usage(command), ""]
        lines += wrapped(command.abstract.capitalisedFirst + ".", "")
        for paragraph in command.discussion.split(separator: "\n\n") {
            lines += [""] + wrapped(paragraph, "")
        }
        if !command.operands.isEmpty {
            lines += ["", "Operands:"] + columns(command.operands.map { ($0.name, $0.abstract) })
        }
        lines += ["", "Options:"]
        lines += columns((command.options + [.help]).map { (aligned($0), $0.explanation) })
        if !command.examples.isEmpty {
            lines += ["", "Examples:"]
            for example in command.examples {
                lines += ["  \(example.commandLine)"] + wrapped(example.meaning, "      ")
            }
        }
        return lines
    }

    static func usage(_ command: CommandDescription) -> String {
        let required = command.requiredOptions.map { option in
            option.valueName.map { "\(option.briefName) \($0)" } ?? option.briefName
        }
        let operands = command.operands.map { $0.synopsis() }
        let words = [ProgramDescription.name, command.name, "[OPTION]..."] + required + operands
        return "Usage: " + words.joined(separator: " ")
    }

    // Options without a short name begin at the column of the long names.
    private static func aligned(_ option: OptionDescription) -> String {
        option.short == nil ? "    " + option.synopsis : option.synopsis
    }

    private static func columns(_ rows: [(String, String)]) -> [String] {
        let indent = (rows.map(\.0.count).max() ?? 0) + 4
        return rows.flatMap { name, text in
            let lines = wrapped(text, String(repeating: " ", count: indent))
            let first = "  " + name + String(repeating: " ", count: indent - 2 - name.count)
            return [first + lines[0].dropFirst(indent)] + lines.dropFirst()
        }
    }

    private static func wrapped(_ text: some StringProtocol, _ indent: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !line.isEmpty, indent.count + line.count + 1 + word.count > width {
                lines.append(indent + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return lines + [indent + line]
    }
}
