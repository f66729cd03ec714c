// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Machine code around the instruction at fault.
enum CodeSection {
    static func markup(_ code: FaultingCode?) -> Markup? {
        guard let code, !code.instructions.isEmpty else { return nil }
        return Parts.section("code", "Code", note: "Instructions around the one at fault.") {
            Parts.table(
                "Instructions", class: "code", headings: ["Address", "Bytes", "Instruction"]
            ) {
                for instruction in code.instructions { row(instruction) }
            }
        }
    }

    private static func row(_ instruction: FaultingCode.Instruction) -> Markup {
        element("tr", .class(instruction.isAtFault ? "here" : "there")) {
            element("th", Attribute("scope", "row")) { instruction.address.paddedHex }
            element("td", .class("bytes")) {
                instruction.bytes.map { [$0].hexDigits }.joined(separator: " ")
            }
            element("td") {
                instruction.text
                if instruction.isAtFault { Parts.tag("at fault", "bad") }
            }
        }
    }
}

/// The registers of the crashing thread and what they pointed to.
enum RegisterSection {
    static func markup(_ explanation: CrashExplanation, _ book: AddressBook) -> Markup? {
        guard let registers = explanation.faultRegisters else { return nil }
        let last = explanation.lastRegisters
        let moment = explanation.firstFault == nil ? "fault" : "first fault"
        return Parts.section(
            "registers", "Registers", note: "Of the crashing thread, at the \(moment)."
        ) {
            list(registers, book)
            if let last {
                Parts.folded(Markup(text: "At the last signal")) { list(last, book) }
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
                        Parts.hint(hint(name, value, book))
                    }
                }
            }
        }
    }

    private static func hint(_ name: String, _ value: UInt64, _ book: AddressBook) -> String? {
        // The flags are no address.
        guard name != "rflags", name != "pstate" else { return nil }
        // Small numbers of either sign are counts and results far more often than pointers.
        if value < 4096 { return "\(value)" }
        let signed = Int64(bitPattern: value)
        if signed < 0, signed > -4096 { return "\(signed)" }
        return book.place(of: value)
    }
}
