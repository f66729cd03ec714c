// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum Program {
    static func run(_ arguments: [String]) -> ExitStatus {
        let output = Output()
        do {
            try dispatch(arguments.dropFirst(), output)
        } catch {
            output.complain(error.sentence, status: error.status)
        }
        return output.finish()
    }

    private static func dispatch(_ words: ArraySlice<String>, _ output: Output)
        throws(CommandFailure)
    {
        guard let first = words.first else {
            // As coredumpctl(1): what crashed on this machine, if anybody collects that here.
            guard try ListCommand.listLatest(output) else {
                throw CommandFailure(
                    .usage, "a command is missing; see \"\(ProgramDescription.name) --help\"")
            }
            return
        }
        switch first {
        case "--help", "-h": HelpText.program(commands).forEach { output.print($0) }
        case ExplainWorker.word: try ExplainWorker.run(words.dropFirst())
        case "--version": output.print("\(ProgramDescription.name) \(ProgramDescription.version)")
        default:
            guard let command = commands.first(where: { $0.name == first }) else {
                let near = likelyName(first, among: commands.map(\.name), most: 2)
                let hint = near.map { " (did you mean \"\($0)\"?)" } ?? ""
                throw CommandFailure(
                    .usage,
                    "there is no command \"\(first)\"\(hint); see \"\(ProgramDescription.name) --help\""
                )
            }
            try run(command, words.dropFirst(), output)
        }
    }

    private static func run(
        _ command: CommandDescription, _ words: ArraySlice<String>, _ output: Output
    ) throws(CommandFailure) {
        let arguments = try orMisuse(of: command, ParsedArguments(words, for: command))
        guard !arguments.has(.help) else {
            HelpText.command(command).forEach { output.print($0) }
            return
        }
        try command.run(arguments, output)
    }
}

extension CommandFailure {
    init(usage phrase: String, of command: CommandDescription) {
        self.init(
            .usage,
            "\(command.name): \(phrase); see \"\(ProgramDescription.name) \(command.name) --help\""
        )
    }
}
