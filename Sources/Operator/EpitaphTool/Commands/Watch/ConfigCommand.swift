// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphService
import EpitaphValues

enum ConfigCommand {
    static let description = CommandDescription(
        name: "config",
        abstract: "check or show the configuration of the service",
        discussion: """
            With check, prints everything that is wrong in the configuration of "\(ProgramDescription.name)
            watch", in FILE and in the files *.conf in the directory FILE.d: one line for each
            problem, with file and line. Files that the configuration names are read as well.
            Warnings, such as a secret that every user may read, are no failure.

            With show, prints the settings that count for the service and for each database, in
            the form of a configuration, and behind each where it is from. What may hold a secret
            is shown as [hidden].
            """,
        operands: [
            .init("ACTION", "check or show", isRequired: true, kind: .choice(["check", "show"])),
            .init(
                "FILE", "the configuration; default: " + ServiceConfiguration.usualPath,
                isRequired: false, kind: .file),
        ],
        options: [],
        examples: [
            .init("config check", "checks the service's configuration before it is reloaded."),
            .init("config show ./epitaph.conf", "shows what a configuration means."),
        ],
        run: run)

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let source = ConfigurationSource(arguments.operands.dropFirst().first)
        let (configuration, problems) = source.read()
        if arguments.operands.first == "check" {
            problems.forEach { output.print(TerminalText.line("\($0)")) }
        } else {
            problems.forEach { output.note("\($0)") }
        }
        if problems.contains(where: { !$0.isWarning }) { output.fail() }
        guard arguments.operands.first == "show" else { return }
        show(configuration, output)
    }

    private static func show(_ configuration: ServiceConfiguration, _ output: Output) {
        for key in SettingKey<ServiceOptions>.all {
            line(
                key.name, key.text(configuration.service),
                configuration.place(ofService: key.name), output)
        }
        // Also the databases that patterns find.
        let patterns = configuration.patterns.filter(\.isPattern).map(\.path)
        for path in patterns + configuration.databases().paths {
            let (options, places) = configuration.options(for: path)
            output.print()
            output.print(TerminalText.line("[database \(path)]"))
            for key in SettingKey<WatchedOptions>.all {
                let text = key.text(options)
                let isHidden = key.isSecret && places[key.name] != nil && !isPlain(text)
                line(key.name, isHidden ? "[hidden]" : text, places[key.name], output)
            }
            for (name, value) in options.annotations.inKeyOrder {
                line("annotation.\(name)", value, places["annotation.\(name)"], output)
            }
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text == "none" || text == "environment"
    }

    private static func line(
        _ name: String, _ value: String, _ place: ServiceProblem.Place?, _ output: Output
    ) {
        let origin = place.map { "\($0)" } ?? "default"
        output.print(TerminalText.line("\(name) = \(value)") + TerminalText.line("  # \(origin)"))
    }
}
