// SPDX-License-Identifier: Apache-2.0

enum CompletionCommand {
    static let description = CommandDescription(
        name: "completion",
        abstract: "print a script that completes command lines in a shell",
        discussion: """
            The script completes commands, options and their values, files, and the ids of the
            reports in the database that --database or $EPITAPH_DATABASE names. It is written from
            the same descriptions as this text.

            bash and fish read it from a file that their completion looks for, or with "source";
            zsh wants it as a file named _dump-convert in a directory of its $fpath.
            """,
        operands: [
            .init(
                "SHELL", "bash, zsh or fish", isRequired: true,
                kind: .choice(["bash", "zsh", "fish"]))
        ],
        options: [],
        examples: [
            .init(
                line: "source <(\(ProgramDescription.name) completion bash)",
                "completes in this bash from now on."),
            .init(
                "completion fish " + "> ~/.config/fish/completions/dump-convert.fish",
                "completes in every fish."),
        ],
        run: run)

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let script =
            switch arguments.operands[0] {
            case "zsh": ZshCompletion.script(commands)
            case "fish": FishCompletion.script(commands)
            default: BashCompletion.script(commands)
            }
        script.forEach { output.print($0) }
    }
}
