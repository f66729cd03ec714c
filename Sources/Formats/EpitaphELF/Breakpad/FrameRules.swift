// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Rules of STACK CFI records at an address: google/breakpad, docs/symbol_files.md.
struct FrameRules {
    private var expressions: [Substring: [Substring]] = [:]
    private var hasBegun = false
    private static let mostWords = 1_024

    mutating func add(_ record: LineFields, at address: UInt64) -> Bool {
        var record = record
        guard record.take("STACK"), record.take("CFI") else { return false }
        if hasBegun {
            guard let start = record.takeHexadecimal(), start <= address else { return false }
        } else {
            guard record.take("INIT"), record.takeHexadecimal() != nil,
                record.takeHexadecimal() != nil
            else { return false }
            hasBegun = true
        }
        addRules(record.remainder)
        return true
    }

    /// `.cfa: $rsp 8 + .ra: .cfa -8 + ^`
    private mutating func addRules(_ text: String) {
        var name: Substring?
        for word in text.split(separator: " ", maxSplits: Self.mostWords) {
            if word.hasSuffix(":") {
                let next = word.dropLast()
                expressions[next] = []
                name = next
            } else if let name {
                expressions[name, default: []].append(word)
            }
        }
    }

    func callFrameRules(
        _ names: RegisterNames, from start: UInt64, size: UInt64
    ) -> CallFrameRules? {
        guard let frame = expressions[".cfa"].flatMap({ RuleExpression($0, names) })?.frameAddress,
            let returned = expressions[".ra"].flatMap({ RuleExpression($0, names) })?.rule
        else { return nil }
        var registers = [(number: names.instructionPointer, rule: returned)]
        for (name, words) in expressions {
            guard let number = names.number(of: name), number != names.instructionPointer else {
                continue
            }
            // A register with a rule that is not understood is unknown in the caller.
            registers.append((number, RuleExpression(words, names)?.rule ?? .undefined))
        }
        return CallFrameRules(
            frameAddress: frame, registers: registers.sorted { $0.number < $1.number },
            returnRegister: names.instructionPointer,
            addressRange: start..<start.addingClamped(size))
    }
}

struct RegisterNames {
    /// System V psABI for x86_64, figure 3.36, by number.
    private static let x86 = [
        "$rax", "$rdx", "$rcx", "$rbx", "$rsi", "$rdi", "$rbp", "$rsp", "$r8", "$r9", "$r10",
        "$r11", "$r12", "$r13", "$r14", "$r15", "$rip",
    ]
    /// ABI for the Arm 64-bit architecture, DWARF, 4.1.
    private static let arm = (0...30).map { "x\($0)" } + ["sp", "pc"]

    let instructionPointer: Int
    private let numbers: [String: Int]

    /// Nil for a processor that is not unwound.
    init?(architecture: String) {
        let names: [String]
        switch architecture {
        case "x86_64": names = Self.x86
        case "arm64", "aarch64": names = Self.arm
        default: return nil
        }
        instructionPointer = names.count - 1
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }

    func number(of name: Substring) -> Int? { numbers[String(name)] }
}
