// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Report parts after the first screen.
package enum DetailText {
    package static func code(_ instructions: [FaultingCode.Instruction]) -> TextSection {
        guard !instructions.isEmpty else { return TextSection() }
        let widest = instructions.map { $0.bytes.count * 3 }.max() ?? 0
        return TextSection(
            "Code around the fault:",
            instructions.map { instruction in
                TextLine(
                    lead: [TextSpan("  \(instruction.isAtFault ? "=>" : "  ") ", .mark)],
                    [
                        .init("\(instruction.address.paddedHex) "),
                        .init(instruction.bytes.spacedHexDigits.padded(to: widest), .faint),
                        .init(instruction.text, instruction.isAtFault ? .mark : .plain),
                    ], indent: 9)
            })
    }

    package static func registers(_ outline: ReportOutline, _ form: TextForm) -> [TextSection] {
        guard let thread = outline.explanation.crashingThread?.thread else { return [] }
        return outline.registers.map { moment, registers in
            // Registers at the fault are what everyone expects.
            let time = moment == "fault" ? "" : " at the \(moment)"
            return TextSection(
                "Registers of thread \(thread.idWords)\(time):", lines(registers, form))
        }
    }

    private static func lines(_ registers: RegisterSnapshot, _ form: TextForm) -> [TextLine] {
        let named = registers.named
        let nameWidth = named.map(\.name.count).max() ?? 0
        // Indented by two columns: a name, a blank, 18 digits, two blanks.
        let perLine = form.width.map { max(($0 - 2 + 2) / (nameWidth + 21), 1) } ?? 3
        return stride(from: 0, to: named.count, by: perLine).map { start in
            let row = named[start..<min(start + perLine, named.count)]
            return TextLine.verbatim(
                row.map { "\($0.name.padded(to: nameWidth)) \($0.value.paddedHex)" }
                    .joined(separator: "  "))
        }
    }

    package static func list(_ listing: ReportOutline.Listing?) -> TextSection {
        guard let listing else { return TextSection() }
        return TextSection("\(listing.title):", listing.items.map { .verbatim($0) })
    }

    package static func process(_ outline: ReportOutline) -> TextSection {
        let rows =
            [outline.process].compactMap(\.self) + outline.identifiers
            + [outline.system, outline.sampling, outline.blanked].compactMap(\.self)
        return TextSection("Also known:", rows: rows)
    }

    package static func damage(_ outline: ReportOutline) -> TextSection {
        if let words = outline.wordsWithoutDamage { return TextSection("Damage: \(words)") }
        return TextSection(
            "Damage: what this report lacks, and why",
            outline.damage.map { .verbatim("\($0.label): \($0.value)") })
    }

    package static func modules(_ modules: [ModuleSnapshot], _ problems: [Int: String])
        -> TextSection
    {
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
        let buildID = module.buildIDDigits ?? "none"
        return TextLine(
            lead: [TextSpan("  ")],
            [
                .init("\(range.lowerBound.paddedHex)-\(range.upperBound.paddedHex) ", .faint),
                .init(module.path, ifTooLong: .shortenStart),
                .init(" build id \(buildID)", .faint, ifTooLong: .shortenMiddle),
            ], indent: 4)
    }
}
