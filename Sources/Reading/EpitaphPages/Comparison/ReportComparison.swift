// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

package struct ReportComparison: Sendable {
    /// The relation of a row's columns.
    package enum Change: String, Sendable {
        case same
        /// Both have it, with different values.
        case changed
        case onlyLeft
        case onlyRight
    }

    package struct Row: Sendable, Equatable {
        /// Nil where the columns speak for themselves.
        package var label: String?
        /// Not made safe to print; nil if the report lacks it.
        package var left: String?
        package var right: String?
        package var change: Change

        /// Nil if neither report has the fact.
        init?(_ label: String?, _ left: String?, _ right: String?) {
            switch (left, right) {
            case (nil, nil): return nil
            case (_?, nil): change = .onlyLeft
            case (nil, _?): change = .onlyRight
            case (let one?, let other?): change = one == other ? .same : .changed
            }
            self.label = label
            self.left = left
            self.right = right
        }
    }

    package struct Section: Sendable, Equatable {
        package var title: String
        /// In the order of the reports.
        package var rows: [Row]
    }

    /// The outcome, as sentences.
    package let verdict: [String]
    package let sections: [Section]
    /// True if both died, or hang, alike in the same functions; nil if one has no signature.
    package let hasSameSignature: Bool?

    /// - Parameter names: which of a function's names are shown and compared.
    package init(
        _ left: CrashExplanation, _ right: CrashExplanation, names: ReportFrame.Names = .short
    ) {
        let one = ReportOutline(explanation: left, names: names)
        let other = ReportOutline(explanation: right, names: names)
        hasSameSignature = left.signature.flatMap { signature in
            right.signature.map { signature.identifier == $0.identifier }
        }
        let stacks = StackAlignment(left.comparedStack, right.comparedStack, names: names)
        verdict = [
            Self.signatureVerdict(left, right), Self.buildVerdict(left, right),
            Self.doubt(left, right),
        ].compactMap(\.self)
        let all =
            [
                Section(title: "What happened", rows: Self.facts(one, other)),
                Section(title: "Stack", rows: stacks.rows),
            ] + ComparedBlock.sections(one, other, names: names) + [
                Section(title: "Messages", rows: Self.messages(left.snapshot, right.snapshot)),
                Section(
                    title: "Annotations", rows: Self.annotations(left.snapshot, right.snapshot)),
                Section(
                    title: "Modules that differ", rows: Self.modules(left.snapshot, right.snapshot)),
            ]
        sections = all.filter { !$0.rows.isEmpty }
    }
}

extension CrashExplanation {
    /// From the fault on, or the stack of the report's subject.
    fileprivate var comparedStack: ReportStack? { faultStack ?? mainThread?.stack }

    fileprivate var executable: ModuleSnapshot? {
        snapshot.modules.first { $0.kind == .executable }
    }
}

extension ReportComparison {
    private static func signatureVerdict(
        _ left: CrashExplanation, _ right: CrashExplanation
    ) -> String {
        guard let one = left.signature, let other = right.signature else {
            return "One of them has no signature, so the causes cannot be compared"
        }
        if one.identifier == other.identifier {
            return "Both have the signature \(one.text)"
        }
        return one.family == other.family
            ? "The signatures differ only in functions without names: the cause may be the same"
            : "The signatures differ"
    }

    private static func buildVerdict(
        _ left: CrashExplanation, _ right: CrashExplanation
    ) -> String? {
        guard let one = left.executable, let other = right.executable else { return nil }
        guard one.path == other.path else { return "They are of different programs" }
        guard !one.buildID.isEmpty, !other.buildID.isEmpty else {
            return "Whether both are of one build is not known: a build id is missing"
        }
        return one.buildID == other.buildID
            ? "Both are of the same build of the program"
            : "They are of different builds of the program"
    }

    /// Differences may be due to an incomplete report.
    private static func doubt(_ left: CrashExplanation, _ right: CrashExplanation) -> String? {
        let incomplete = [("the first", left), ("the second", right)].filter {
            !$0.1.completeness.isComplete
        }.map(\.0)
        guard !incomplete.isEmpty else { return nil }
        let which = incomplete.joined(separator: " and ")
        return "Not known to be complete: \(which); "
            + "a difference may be something that was not captured"
    }

    private static func facts(_ left: ReportOutline, _ right: ReportOutline) -> [Row] {
        func row(
            _ label: String, _ value: (ReportOutline) -> String?
        ) -> Row? { Row(label, value(left), value(right)) }
        func identifier(_ outline: ReportOutline, _ label: String) -> String? {
            outline.identifiers.first { $0.label == label }?.value
        }
        func fact(_ outline: ReportOutline, _ label: String) -> String? {
            outline.signalFacts.first { $0.label == label }?.value
        }
        let labels = ["Address", "Sent by", "Then", "System call"]
        let rows: [Row?] =
            [
                row("Headline") { $0.headline }, row("Signal") { $0.signal?.value },
            ] + labels.map { label in row(label) { fact($0, label) } } + [
                row("Signature") { identifier($0, "Signature") },
                row("Program") { $0.program?.value },
                row("Build id") { $0.explanation.executable?.buildIDDigits },
                row("Bundle id") { identifier($0, "Bundle id") },
                row("Report") { identifier($0, "Report") },
                row("Time") { $0.moment.map { UTCTime.text($0.time) } },
                row("Age") { $0.moment?.age }, row("Process") { $0.process?.value },
                row("Thread") { $0.explanation.mainThread?.identity },
                row("Threads") { String($0.snapshot.threads.count) },
                row("System") { $0.system.value },
                row("Damage") { outline in
                    outline.wordsWithoutDamage
                        ?? outline.damage.map(\.value).joined(separator: "; ")
                },
            ]
        return rows.compactMap(\.self)
    }

    private static func messages(_ left: ProcessSnapshot, _ right: ProcessSnapshot) -> [Row] {
        pairs(
            left.messages.map { ($0.source, $0.text) }, right.messages.map { ($0.source, $0.text) })
    }

    private static func annotations(_ left: ProcessSnapshot, _ right: ProcessSnapshot) -> [Row] {
        pairs(
            left.annotations.map { ($0.name, $0.value) },
            right.annotations.map { ($0.name, $0.value) })
    }

    /// Modules of one path with different build ids, and those in one report only.
    private static func modules(_ left: ProcessSnapshot, _ right: ProcessSnapshot) -> [Row] {
        func words(_ snapshot: ProcessSnapshot) -> [(String, String)] {
            snapshot.modules.map { module in
                (module.path, module.buildIDDigits ?? "no build id")
            }
        }
        return pairs(words(left), words(right)).filter { $0.change != .same }
    }

    /// Pairs values by name in order; what only the second list has comes last.
    private static func pairs(
        _ left: [(String, String)], _ right: [(String, String)]
    ) -> [Row] {
        var rest: [String: [String]] = [:]
        for (name, value) in right.reversed() { rest[name, default: []].append(value) }
        var rows = left.compactMap { name, value in Row(name, value, rest[name]?.popLast()) }
        for (name, _) in right {
            if let value = rest[name]?.popLast() {
                rows += [Row(name, nil, value)].compactMap(\.self)
            }
        }
        return rows
    }
}
