// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum CodeSection {
    static func markup(_ instructions: [FaultingCode.Instruction]) -> Markup? {
        guard !instructions.isEmpty else { return nil }
        return Parts.section("code", "Code", note: "Instructions around the one at fault.") {
            Parts.table(
                "Instructions", class: "code", headings: ["Address", "Bytes", "Instruction"]
            ) {
                for instruction in instructions { row(instruction) }
            }
        }
    }

    private static func row(_ instruction: FaultingCode.Instruction) -> Markup {
        Parts.row(instruction.address.paddedHex, class: instruction.isAtFault ? "here" : "there") {
            element("td", .class("bytes")) { instruction.bytes.spacedHexDigits }
            element("td") {
                instruction.text
                if instruction.isAtFault { Parts.tag("at fault", "bad") }
            }
        }
    }
}

enum RegisterSection {
    static func markup(_ outline: ReportOutline, _ book: AddressBook) -> Markup? {
        guard let atFault = outline.registers.first else { return nil }
        return Parts.section(
            "registers", "Registers", note: "Of the crashing thread, at the \(atFault.moment)."
        ) {
            list(atFault.values, book)
            for (moment, values) in outline.registers.dropFirst() {
                Parts.folded(Markup(text: "At the \(moment)")) { list(values, book) }
            }
        }
    }

    private static func list(_ registers: RegisterSnapshot, _ book: AddressBook) -> Markup {
        element("dl", .class("registers")) {
            for (name, value) in registers.named {
                element("div") {
                    element("dt") { name }
                    element("dd") {
                        Parts.code(value.paddedHex)
                        Parts.hint(book.hint(ofRegister: name, value))
                    }
                }
            }
        }
    }
}
