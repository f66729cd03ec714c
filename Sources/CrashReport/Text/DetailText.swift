// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The parts of a report behind the first screen.
enum DetailText {
    /// The instruction at fault and those around it, as debuggers show them.
    static func code(_ code: FaultingCode?) -> TextSection {
        guard let code, !code.instructions.isEmpty else { return TextSection() }
        let widest = code.instructions.map { $0.bytes.count * 3 }.max() ?? 0
        return TextSection(
            "Code around the fault:",
            code.instructions.map { instruction in
                let bytes = instruction.bytes.map(\.hexDigits).joined(separator: " ")
                let arrow = instruction.isAtFault ? "=>" : "  "
                return TextLine(
                    lead: [TextSpan("  \(arrow) ", .mark)],
                    [
                        .init("\(instruction.address.paddedHex) "),
                        .init(bytes.padded(to: widest), .faint),
                        .init(instruction.text, instruction.isAtFault ? .mark : .plain),
                    ], indent: 9)
            })
    }

    /// Those at the fault; and those at the last signal, where the program's own handler sent it.
    static func registers(_ explanation: CrashExplanation, _ form: TextForm) -> [TextSection] {
        guard let thread = explanation.crashingThread?.thread else { return [] }
        let last = explanation.lastRegisters
        let title = "Registers of thread \(thread.idWords)"
        return [
            registers(
                explanation.faultRegisters,
                explanation.firstFault == nil ? title : "\(title) at the first fault", form),
            registers(last, "\(title) at the last signal", form),
        ]
    }

    private static func registers(
        _ registers: RegisterSnapshot?, _ title: String, _ form: TextForm
    ) -> TextSection {
        guard let registers else { return TextSection() }
        let named = registers.named
        let nameWidth = named.map(\.name.count).max() ?? 0
        // Two columns in, a name, a blank, 18 digits, two blanks.
        let perLine = form.width.map { max(($0 - 2 + 2) / (nameWidth + 21), 1) } ?? 3
        let rows = stride(from: 0, to: named.count, by: perLine).map { start in
            let row = named[start..<min(start + perLine, named.count)]
            return TextLine.verbatim(
                row.map { "\($0.name.padded(to: nameWidth)) \($0.value.paddedHex)" }
                    .joined(separator: "  "))
        }
        return TextSection("\(title):", rows)
    }

    /// Why frames of the crashing thread are nameless or uncertain.
    static func problems(_ explanation: CrashExplanation) -> TextSection {
        let frames = explanation.crashingThread?.stack?.frames ?? []
        let used = Set(frames.compactMap { $0.place?.moduleIndex }).sorted()
        let problems = used.compactMap { explanation.moduleProblems[$0] }
        let notes = explanation.readingNotes
        guard !problems.isEmpty else {
            guard !notes.isEmpty else { return TextSection() }
            return TextSection("How the stacks were read:", notes.map { .verbatim($0) })
        }
        return TextSection(
            "Files that could not be used to read this stack:",
            (problems + notes).map { .verbatim($0) })
    }

    static func process(_ explanation: CrashExplanation) -> TextSection {
        let launch = explanation.snapshot.launch
        let rows: [TextLine?] = [
            SummaryText.process(explanation.snapshot).map { .row("Process", $0) },
            launch?.bundleID.map { .row("Bundle id", $0) },
            launch?.uuid.map { .row("Report", $0.uuidString.lowercased()) },
            explanation.signature.map { .row("Signature", $0.text) },
            system(explanation.snapshot).map { .row("System", $0) },
            explanation.snapshot.capture?.blankedWords.map { .row("Blanked", $0) },
        ]
        return TextSection("Also known:", rows.compactMap(\.self))
    }

    private static func system(_ snapshot: ProcessSnapshot) -> String? {
        let system = snapshot.system
        let kernel = [system.kernelName, system.kernelRelease].compactMap(\.self)
        var parts = kernel.isEmpty ? [] : [kernel.joined(separator: " ")]
        parts.append(snapshot.architecture.name)
        if let count = system.processorCount {
            parts.append(counted(Int(count), "processor"))
        }
        return parts.joined(separator: ", ")
    }

    /// Only there when the program allow-listed something, as is the environment.
    static func commandLine(_ snapshot: ProcessSnapshot) -> TextSection {
        let words = (snapshot.commandLine ?? .empty).text.split(separator: "\0")
        guard !words.isEmpty else { return TextSection() }
        return TextSection("Command line:", words.map { .verbatim(String($0)) })
    }

    static func environment(_ snapshot: ProcessSnapshot) -> TextSection {
        guard !snapshot.environment.isEmpty else { return TextSection() }
        return TextSection("Environment:", snapshot.environment.map { .verbatim($0) })
    }

    /// What keeps the report from being complete; that it is, is said only where it is proved.
    static func damage(_ completeness: Completeness) -> TextSection {
        let rest = completeness.unproven.joined(separator: "; ")
        guard !completeness.failures.isEmpty else {
            return TextSection(
                completeness.isComplete
                    ? "Damage: none, the report is complete" : "Damage: none is known, but \(rest)")
        }
        return TextSection(
            "Damage: what this report lacks, and why",
            completeness.damage.map { .verbatim("\($0.stage.rawValue): \($0.sentence)") }
                + completeness.doubts.map { .verbatim("unwinding: \($0)") }
                + completeness.unproven.map { .verbatim("not known: \($0)") })
    }

    static func modules(_ modules: [ModuleSnapshot], _ problems: [Int: String]) -> TextSection {
        guard !modules.isEmpty else { return TextSection("Modules: none in the dump") }
        return TextSection(
            "Modules:",
            modules.enumerated().flatMap { index, module in
                [line(module)]
                    + (problems[index].map { [TextLine.verbatim($0, indent: 4)] } ?? [])
            })
    }

    private static func line(_ module: ModuleSnapshot) -> TextLine {
        let range = module.addressRange
        let buildID = module.buildID.isEmpty ? "none" : module.buildID.hexDigits
        return TextLine(
            lead: [TextSpan("  ")],
            [
                .init("\(range.lowerBound.paddedHex)-\(range.upperBound.paddedHex) ", .faint),
                .init(module.path, ifTooLong: .shortenStart),
                .init(" build id \(buildID)", .faint, ifTooLong: .shortenMiddle),
            ], indent: 4)
    }
}
