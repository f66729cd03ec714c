// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSymbolStore
import EpitaphSystem
import EpitaphValues

enum SymbolChecking {
    static func run(
        _ words: [String], _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let reports: [String?] = words.isEmpty ? [nil] : words
        let servers = try SymbolOptions.servers(
            arguments, of: SymbolsCommand.description, output)
        var checked: [CheckedReport] = []
        for word in reports {
            do throws(CommandFailure) {
                let report = try check(word, arguments, servers, output)
                checked.append(report)
                if !arguments.has(.json) { print(report, of: reports.count, output) }
                if !report.symbols.canNameStacks { output.fail() }
            } catch {
                guard reports.count > 1 else { throw error }
                output.complain(error.sentence, status: error.status)
            }
        }
        guard arguments.has(.json) else { return }
        output.print(PrintedJSON(checked).text)
    }

    private static func check(
        _ word: String?, _ arguments: ParsedArguments, _ servers: SymbolServers?, _ output: Output
    ) throws(CommandFailure) -> CheckedReport {
        let found = try ReportOperand.bytes(word, arguments, output, of: SymbolsCommand.description)
        let file = try InputFile(found)
        let images = try SymbolOptions.images(
            arguments, readAs: found.owner, servers: servers)
        let symbols = try output.progress.during("reading stacks and symbols") {
            () throws(CommandFailure) in
            try found.withOwnersRights {
                ReportSymbols(
                    file.snapshot, images: images,
                    withAllModules: arguments.has(SymbolsCommand.allModules))
            }
        }
        found.complainIfCut(output)
        return CheckedReport(path: found.path, symbols: symbols)
    }

    private static func print(_ report: CheckedReport, of count: Int, _ output: Output) {
        if count > 1 { output.print(TerminalText.line(report.path)) }
        for (module, sources) in report.modules {
            let frames = module.frameCount == 1 ? "1 frame" : "\(module.frameCount) frames"
            let id = module.module.buildID.hexDigits
            let name = "\(module.module.path)  \(id.isEmpty ? "no build id" : id)"
            output.print(
                TerminalText.line("\(module.state.rawValue.padded(to: 10))  \(name)  \(frames)"))
            var lines: [String] = []
            if let path = module.executable { lines.append("executable: \(path)") }
            if let path = module.debugInformation, path != module.executable {
                lines.append("debug information: \(path)")
            }
            lines += module.missing.map { "missing: \($0)" }
            if module.unnamedFrameCount > 0 {
                lines.append("\(module.unnamedFrameCount) of its frames have no name")
            }
            if let problem = module.problem { lines.append(problem) }
            lines += sources.map { "source: \($0)" }
            for line in lines { output.print("    " + TerminalText.line(line)) }
        }
        output.print(report.summary)
    }
}

struct CheckedReport {
    let path: String
    let symbols: ReportSymbols
    let modules: [(module: ModuleSymbols, sources: [String])]

    init(path: String, symbols: ReportSymbols) {
        self.path = path
        self.symbols = symbols
        let incomplete = symbols.modules.filter { !$0.missing.isEmpty }
        let owners = DebianPackages().owners(of: incomplete.map(\.module.installedPath))
        modules = symbols.modules.map { module in
            (module, MissingSymbolSources(module, owners[module.module.installedPath]).sentences)
        }
    }

    var summary: String {
        let count = symbols.modules.count { $0.state == .complete }
        let stacks =
            symbols.incompleteStackCount == 0
            ? ""
            : "; \(symbols.incompleteStackCount) of \(symbols.stackCount) stacks have no beginning"
        let verdict = symbols.canNameStacks ? "every frame has a name" : "some frames have no name"
        return "\(verdict); \(count) of \(symbols.modules.count) modules are complete\(stacks)"
    }
}

extension PrintedJSON {
    fileprivate init(_ checked: [CheckedReport]) {
        let reports = checked.map { report -> PrintedJSON in
            [
                "path": report.path, "canNameStacks": report.symbols.canNameStacks,
                "stacks": report.symbols.stackCount,
                "incompleteStacks": report.symbols.incompleteStackCount,
                "modules": report.modules.map { PrintedJSON($0.module, $0.sources) },
            ]
        }
        self.init(schema: "symbols-check", ["reports": reports])
    }

    private init(_ module: ModuleSymbols, _ sources: [String]) {
        self = [
            "path": module.module.path, "buildID": module.module.buildID.hexDigits,
            "state": module.state.rawValue, "frames": module.frameCount,
            "unnamedFrames": module.unnamedFrameCount, "executable": module.executable,
            "debugInformation": module.debugInformation,
            "missing": module.missing.map(\.word), "problem": module.problem,
            "sources": sources,
        ]
    }
}
