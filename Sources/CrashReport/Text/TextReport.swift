// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// A crash as text for a person: what died, why and where first; then everything else.
public struct TextReport: Sendable {
    private let explanation: CrashExplanation
    private let threads: ThreadSelection

    public enum ThreadSelection: Sendable {
        case all
        case crashingOnly
    }

    public init(_ explanation: CrashExplanation, threads: ThreadSelection = .all) {
        self.explanation = explanation
        self.threads = threads
    }

    /// The report's lines without line breaks, safe to print.
    public var lines: [String] {
        sections.filter { !$0.isEmpty }.joined(separator: [""]).map { $0 }
    }

    private var sections: [[String]] {
        let snapshot = explanation.snapshot
        let first = [
            SummaryText.headline(explanation), SummaryText.facts(explanation),
            SummaryText.notes(explanation), SummaryText.messages(snapshot.messages),
            crashingThread, problems, SummaryText.annotations(snapshot.annotations),
            SummaryText.damage(snapshot.damage),
        ]
        return first
            + [registers, SummaryText.commandLine(snapshot), SummaryText.environment(snapshot)]
            + (threads == .all ? ThreadText.sections(explanation.otherThreads) : [])
            + [ModuleText.section(snapshot.modules, explanation.moduleProblems)]
    }

    private var crashingThread: [String] {
        guard let thread = explanation.crashingThread else {
            guard explanation.reason != nil else { return [] }
            return ["The crashing thread is not known."]
        }
        return ["Crashing thread " + ThreadText.title(thread) + ":"] + ThreadText.stack(thread)
    }

    /// Why frames of the crashing thread are nameless or uncertain.
    private var problems: [String] {
        let frames = explanation.crashingThread?.stack?.frames ?? []
        let used = Set(frames.compactMap { $0.place?.moduleIndex }).sorted()
        let problems = used.compactMap { explanation.moduleProblems[$0] }
        guard !problems.isEmpty else { return [] }
        return ["Files that could not be used to read this stack:"]
            + problems.map { "  " + TerminalText.line($0) }
    }

    private var registers: [String] {
        guard let thread = explanation.crashingThread, let registers = thread.registers else {
            return []
        }
        return ["Registers of thread \(thread.thread.id):"] + RegisterText.lines(registers)
    }
}

enum RegisterText {
    /// Three to a line, in columns.
    static func lines(_ registers: RegisterSnapshot) -> [String] {
        let named = registers.named
        let width = named.map(\.name.count).max() ?? 0
        return stride(from: 0, to: named.count, by: 3).map { start in
            let row = named[start..<min(start + 3, named.count)]
            return "  "
                + row.map { "\($0.name.padded(to: width)) \($0.value.paddedHex)" }
                .joined(separator: "  ")
        }
    }
}

enum ModuleText {
    static func section(_ modules: [ModuleSnapshot], _ problems: [Int: String]) -> [String] {
        guard !modules.isEmpty else { return ["Modules: none in the dump"] }
        return ["Modules:"]
            + modules.enumerated().flatMap { index, module in
                [line(module)] + (problems[index].map { ["    " + TerminalText.line($0)] } ?? [])
            }
    }

    private static func line(_ module: ModuleSnapshot) -> String {
        let range = module.addressRange
        let buildID = module.buildID.isEmpty ? "none" : module.buildID.hexDigits
        return "  \(range.lowerBound.paddedHex)-\(range.upperBound.paddedHex)  "
            + "\(TerminalText.line(module.path))  build id \(buildID)"
    }
}
