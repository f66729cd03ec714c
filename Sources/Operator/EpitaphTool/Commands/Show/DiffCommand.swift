// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphSymbolStore
import EpitaphUnwinding

/// `dump-convert diff`
enum DiffCommand {
    static let description = CommandDescription(
        name: "diff",
        abstract: "compare two reports: what they have in common and where they differ",
        discussion: """
            Shows two reports side by side: what happened, the stacks of the threads they are about
            with the same functions beside each other, messages, annotations, and the modules whose
            build ids differ. The sentences above say whether the signature is the same and whether
            both are of one build of the program.

            Before the columns stands = for what is the same in both and there once, | for what
            differs, < for what only the first has and > for what only the second has. Registers,
            memory and threads that did not crash are not compared, because they differ from start to
            start.

            REPORT is what "show" takes. On a terminal both columns are shortened to its width.
            """,
        operands: [
            OperandDescription(
                name: "REPORT", abstract: ReportOperand.description.abstract, isRequired: true,
                kind: .report),
            OperandDescription(
                name: "OTHER", abstract: "the report to compare it with", isRequired: true,
                kind: .report),
        ],
        options: [
            .databases, SymbolOptions.symbols, SymbolOptions.sysroot, SymbolOptions.noSymbols,
            SymbolOptions.noDebuginfod, fullNames, json, ColourOption.color,
        ],
        examples: [
            .init(
                commandLine: "\(ProgramDescription.name) diff 0f0e1d 2b3c4d",
                meaning: "compares two reports of $EPITAPH_DATABASE."),
            .init(
                commandLine: "\(ProgramDescription.name) diff before.dmp after.dmp",
                meaning: "compares two minidumps."),
        ],
        run: run)

    private static let fullNames = OptionDescription(
        "full-names", "show and compare functions with everything the compiler added")
    private static let json = OptionDescription("json", "print JSON for programs")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let words = arguments.operands
        let servers = try SymbolOptions.servers(arguments, of: description, output)
        let left = try explanation(words[0], servers, arguments, output)
        let right = try explanation(words[1], servers, arguments, output)
        let names: ReportFrame.Names = arguments.has(fullNames) ? .full : .short
        let comparison = ReportComparison(left, right, names: names)
        guard !arguments.has(json) else {
            return output.print(ComparisonJSON(comparison, of: words).text)
        }
        var form = output.form(colour: ColourOption.choice(arguments))
        form.names = names
        for line in ComparisonText(comparison, form: form).lines where output.isOpen {
            output.print(line)
        }
    }

    private static func explanation(
        _ word: String, _ servers: SymbolServers?, _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) -> CrashExplanation {
        let found = try ReportOperand.bytes(word, arguments, of: description)
        let snapshot = try InputFile(found).snapshot
        let images = try SymbolOptions.images(arguments, readAs: found.owner, servers: servers)
        let naming: CrashExplanation.Naming =
            arguments.has(SymbolOptions.noSymbols) ? .modulesOnly : .symbols
        let explanation = try output.progress.during("reading stacks and symbols") {
            () throws(CommandFailure) in
            try found.withOwnersRights {
                CrashExplanation(
                    snapshot, images: images, naming: naming, threads: .crashing, source: nil,
                    progress: output.progress.update)
            }
        }
        found.complainIfCut(output)
        return explanation
    }
}

/// What `diff --json` prints; docs/dump-convert.md lists the members.
struct ComparisonJSON: PrintedJSON {
    var schema = "urn:epitaph:report-diff"
    var schemaVersion = 1
    let reports: [String]
    let verdict: [String]
    let sameSignature: Bool?
    let sections: [Section]

    struct Section: Encodable {
        let title: String
        let rows: [Row]
    }

    struct Row: Encodable {
        let label: String?
        let left: String?
        let right: String?
        let change: String
    }

    init(_ comparison: ReportComparison, of reports: [String]) {
        self.reports = reports
        verdict = comparison.verdict
        sameSignature = comparison.hasSameSignature
        sections = comparison.sections.map { section in
            Section(
                title: section.title,
                rows: section.rows.map {
                    Row(label: $0.label, left: $0.left, right: $0.right, change: $0.change.rawValue)
                })
        }
    }
}
