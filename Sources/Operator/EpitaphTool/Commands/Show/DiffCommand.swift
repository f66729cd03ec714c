// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphSymbolStore
import EpitaphUnwinding

enum DiffCommand {
    static let description = CommandDescription(
        name: "diff",
        abstract: "compare two reports: what they have in common and where they differ",
        discussion: """
            Shows two reports side by side: what happened, the stacks of the threads they are about
            with the same functions beside each other, the blocks of memory errors with the stacks
            that freed and allocated them, messages, annotations, and the modules whose build ids
            differ. The sentences above say whether the signature is the same and whether
            both are of one build of the program.

            Before the columns stands = for what is the same in both and there once, | for what
            differs, < for what only the first has and > for what only the second has. Registers,
            memory and threads that did not crash are not compared, because they differ from start to
            start.

            REPORT is what "show" takes. On a terminal both columns are shortened to its width.
            """,
        operands: [
            OperandDescription(
                "REPORT", ReportOperand.description.abstract, isRequired: true, kind: .report),
            OperandDescription(
                "OTHER", "the report to compare it with", isRequired: true, kind: .report),
        ],
        options: [
            .databases, SymbolOptions.symbols, SymbolOptions.sysroot, SymbolOptions.noSymbols,
            SymbolOptions.noDebuginfod, fullNames, .json, ColourOption.color,
        ],
        examples: [
            .init("diff 0f0e1d 2b3c4d", "compares two reports of $EPITAPH_DATABASE."),
            .init("diff before.dmp after.dmp", "compares two minidumps."),
        ],
        run: run)

    private static let fullNames = OptionDescription(
        "full-names", "show and compare functions with everything the compiler added")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let words = arguments.operands
        let servers = try SymbolOptions.servers(arguments, of: description, output)
        let left = try explanation(words[0], servers, arguments, output)
        let right = try explanation(words[1], servers, arguments, output)
        let names: ReportFrame.Names = arguments.has(fullNames) ? .full : .short
        let comparison = ReportComparison(left, right, names: names)
        guard !arguments.has(.json) else {
            return output.print(PrintedJSON(comparison, of: words).text)
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
        let found = try ReportOperand.bytes(word, arguments, output, of: description)
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

extension PrintedJSON {
    fileprivate init(_ comparison: ReportComparison, of reports: [String]) {
        let sections = comparison.sections.map { section -> PrintedJSON in
            let rows = section.rows.map { row -> PrintedJSON in
                [
                    "label": row.label, "left": row.left, "right": row.right,
                    "change": row.change.rawValue,
                ]
            }
            return ["title": section.title, "rows": rows]
        }
        self.init(
            schema: "report-diff",
            [
                "reports": reports, "verdict": comparison.verdict,
                "sameSignature": comparison.hasSameSignature, "sections": sections,
            ])
    }
}
