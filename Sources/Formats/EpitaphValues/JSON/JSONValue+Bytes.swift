// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Members are sorted by the bytes of their names. `isPretty` puts each value on its own line.
    /// Throws for a number that is not finite.
    package func bytes(isPretty: Bool = false) throws(EncodingError) -> [UInt8] {
        var output = JSONOutput(isPretty: isPretty)
        try output.write(self)
        return output.bytes
    }
}

private struct JSONOutput {
    let isPretty: Bool
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(isPretty: Bool) {
        self.isPretty = isPretty
    }

    mutating func write(_ value: JSONValue) throws(EncodingError) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let boolean): bytes += (boolean ? "true" : "false").utf8
        case .integer(let integer): bytes += String(integer).utf8
        case .unsigned(let integer): bytes += String(integer).utf8
        case .number(let number): try write(number)
        case .text(let text): quote(text)
        case .list(let list):
            try nested("[", "]", list) { output, element throws(EncodingError) in
                try output.write(element)
            }
        case .object(let fields):
            let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            try nested("{", "}", sorted) { output, field throws(EncodingError) in
                output.quote(field.key)
                output.bytes += (output.isPretty ? " : " : ":").utf8
                try output.write(field.value)
            }
        }
    }

    private mutating func nested<Item>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ items: [Item],
        _ write: (inout JSONOutput, Item) throws(EncodingError) -> Void
    ) throws(EncodingError) {
        bytes.append(UInt8(ascii: open))
        depth += 1
        if items.isEmpty, isPretty { bytes.append(UInt8(ascii: "\n")) }
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            try write(&self, item)
        }
        depth -= 1
        breakLine()
        bytes.append(UInt8(ascii: close))
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: depth * 2)
    }

    /// The shortest digits that read back as the same number.
    private mutating func write(_ number: Double) throws(EncodingError) {
        guard number.isFinite else {
            throw .invalidValue(
                number, .init(codingPath: [], debugDescription: "JSON has finite numbers only"))
        }
        let digits = number.description
        bytes += digits.hasSuffix(".0") ? digits.utf8.dropLast(2) : digits.utf8[...]
    }

    /// Escapes only what section 7 of RFC 8259 requires.
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard !isPlain else { return bytes += text.utf8 }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x0c: bytes += "\\f".utf8
            case 0x0a: bytes += "\\n".utf8
            case 0x0d: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20: bytes += Unicode.Scalar(byte).jsonEscaped.utf8
            default: bytes.append(byte)
            }
        }
    }
}
