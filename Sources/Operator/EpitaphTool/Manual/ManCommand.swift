// SPDX-License-Identifier: Apache-2.0

enum ManCommand {
    static let description = CommandDescription(
        name: "man",
        abstract: "print a manual page",
        discussion: """
            Prints the page of a command, or of the whole program, for man(1): in roff with the
            macros of man(7). It is written from the same descriptions as this text.
            """,
        operands: [
            .init("COMMAND", "the command to print the page of", isRequired: false, kind: .command)
        ],
        options: [],
        examples: [
            .init("man show | man -l -", "shows the page of show."),
            .init(
                "man > /usr/local/share/man/man1/dump-convert.1",
                "installs the page of the program."),
        ],
        run: run)

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let lines: [String]
        if let name = arguments.operands.first {
            guard let command = commands.first(where: { $0.name == name }) else {
                throw CommandFailure(usage: "there is no command \"\(name)\"", of: description)
            }
            lines = ManualPage.command(command)
        } else {
            lines = ManualPage.program(commands)
        }
        lines.forEach { output.print($0) }
    }
}
