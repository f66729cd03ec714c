// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// `STACK CFI` records: docs/symbol_files.md and `dwarf_cfi_to_module.cc` of google/breakpad.
struct BreakpadCallFrames {
    private let names: [Int: String]
    private let bias: UInt64

    /// Nil without register names for the processor. `firstAddress` is the lowest loaded.
    init?(machine: UInt16, firstAddress: UInt64) {
        bias = 0 &- firstAddress
        switch machine {
        case 62:
            // DWARF's numbers: System V psABI for x86_64, figure 3.36.
            let words = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"]
            let all = words + (8...15).map { "r\($0)" } + ["rip"]
            names = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($0, "$" + $1) })
        case 183:
            var all = Dictionary(uniqueKeysWithValues: (0...30).map { ($0, "x\($0)") })
            all[31] = "sp"
            names = all
        default: return nil
        }
    }

    /// Empty if not expressible. `rows` are in address order, from the function's start.
    func records(_ rows: [(address: UInt64, rules: CallFrameRules)]) -> String {
        guard let first = rows.first else { return "" }
        let range = first.rules.addressRange
        guard first.address == range.lowerBound, let initial = expressions(first.rules) else {
            return ""
        }
        var text =
            "STACK CFI INIT \(BreakpadText.hexadecimal(first.address &+ bias)) "
            + "\(BreakpadText.hexadecimal(range.upperBound - range.lowerBound)) \(words(initial))\n"
        var present = initial
        for (address, rules) in rows.dropFirst() {
            // Without a rule for the frame, readers must not use earlier rules.
            guard let next = expressions(rules) else { return "" }
            let changes = changes(from: present, to: next)
            present = next
            guard !changes.isEmpty else { continue }
            text += "STACK CFI \(BreakpadText.hexadecimal(address &+ bias)) \(words(changes))\n"
        }
        return text
    }

    private typealias Expressions = [String: String]

    private func words(_ expressions: Expressions) -> String {
        expressions.inKeyOrder.map { "\($0.key): \($0.value)" }
            .joined(separator: " ")
    }

    private func changes(from old: Expressions, to new: Expressions) -> Expressions {
        var changes = new.filter { old[$0.key] != $0.value }
        for name in old.keys where new[name] == nil { changes[name] = name }
        return changes
    }

    private func expressions(_ rules: CallFrameRules) -> Expressions? {
        guard case .register(let number, let offset) = rules.frameAddress,
            let base = names[number]
        else { return nil }
        var found = [".cfa": "\(base) \(offset) +"]
        for (number, rule) in rules.registers {
            let isReturn = number == rules.returnRegister
            guard let name = isReturn ? ".ra" : names[number] else { continue }
            found[name] = expression(rule, of: name)
        }
        // A register that holds the return address from the start.
        if found[".ra"] == nil { found[".ra"] = names[rules.returnRegister] }
        return found
    }

    private func expression(_ rule: CallFrameRules.RegisterRule, of name: String) -> String? {
        switch rule {
        // Breakpad's word for a value that cannot be computed.
        case .undefined: ".undef"
        case .sameValue: name == ".ra" ? nil : name
        case .offset(let offset): ".cfa \(offset) + ^"
        case .valueOffset(let offset): ".cfa \(offset) +"
        case .register(let number): names[number] ?? ".undef"
        case .expression, .valueExpression: ".undef"
        }
    }
}
