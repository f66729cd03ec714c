// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breakpad's postfix rule as a DWARF rule, if need be as an expression (DWARF 5, 2.5).
struct RuleExpression {
    private let words: [Substring]
    private let names: RegisterNames
    private static let mostWords = 64

    /// Nil for an empty rule and for one too long to be sound.
    init?(_ words: [Substring], _ names: RegisterNames) {
        guard !words.isEmpty, words.count <= Self.mostWords else { return nil }
        self.words = words
        self.names = names
    }

    var frameAddress: CallFrameRules.FrameAddress? {
        if let register = names.number(of: words[0]) {
            if words.count == 1 { return .register(register, offset: 0) }
            if let offset = offset(words.dropFirst()) { return .register(register, offset: offset) }
        }
        return expression(words, hasFrameAddress: false).map { .expression($0) }
    }

    var rule: CallFrameRules.RegisterRule? {
        if words.count == 1 {
            if words[0] == ".undef" { return .undefined }
            if let register = names.number(of: words[0]) { return .register(register) }
        }
        let isLoad = words.last == "^"
        let address = isLoad ? Array(words.dropLast()) : words
        if address.first == ".cfa" {
            let offset = address.count == 1 ? 0 : self.offset(address.dropFirst())
            if let offset { return isLoad ? .offset(offset) : .valueOffset(offset) }
        }
        return expression(address, hasFrameAddress: true).map {
            isLoad ? .expression($0) : .valueExpression($0)
        }
    }

    /// `-8 +` or `8 -`
    private func offset(_ words: ArraySlice<Substring>) -> Int64? {
        guard words.count == 2, let number = words.first.flatMap({ Int64($0) }) else { return nil }
        switch words.last {
        case "+": return number
        case "-": return number == .min ? nil : -number
        default: return nil
        }
    }

    /// - Parameter hasFrameAddress: whether the stack starts with it, as for registers.
    private func expression(_ words: [Substring], hasFrameAddress: Bool) -> ByteSlice? {
        let bottom = hasFrameAddress ? 1 : 0
        var depth = bottom
        var bytes: [UInt8] = []
        for word in words {
            if let operation = Self.operations[word] {
                guard depth - bottom >= operation.operands else { return nil }
                depth -= operation.operands - 1
                bytes += operation.bytes
                continue
            }
            if word == ".cfa" {
                guard hasFrameAddress else { return nil }
                // DW_OP_pick
                bytes += [0x15, UInt8(depth - 1)]
            } else if let register = names.number(of: word) {
                // DW_OP_bregx
                bytes += [0x92, UInt8(register), 0]
            } else if let number = Int64(word) {
                // DW_OP_const8s
                bytes.append(0x0f)
                bytes += withUnsafeBytes(of: number.littleEndian, Array.init)
            } else {
                return nil
            }
            depth += 1
        }
        return depth == bottom + 1 ? ByteSlice(bytes) : nil
    }

    /// DW_OP_plus, minus, mul, div, mod, deref; `@` rounds down: DW_OP_neg, DW_OP_and.
    private static let operations: [Substring: (operands: Int, bytes: [UInt8])] = [
        "+": (2, [0x22]), "-": (2, [0x1c]), "*": (2, [0x1e]), "/": (2, [0x1b]), "%": (2, [0x1d]),
        "^": (1, [0x06]), "@": (2, [0x1f, 0x1a]),
    ]
}
