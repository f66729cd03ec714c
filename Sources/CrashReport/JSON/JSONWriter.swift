// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Writes a JSON text (RFC 8259) from its beginning to its end, without building it in memory as a
/// tree first, nor as a whole where it is drained: a report of 1,000 threads has some 100,000 values.
struct JSONWriter {
    private var output: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0
    /// Whether something stands before the next value in its array or object.
    private var needsComma = false
    private var isAfterKey = false
    /// Takes what was written, some 64 KiB at a time; nil to keep all of it.
    private let drain: (([UInt8]) -> Void)?

    init(isPretty: Bool, drain: (([UInt8]) -> Void)? = nil) {
        self.isPretty = isPretty
        self.drain = drain
    }

    /// All that was written and not drained.
    var text: String { String(decoding: output, as: UTF8.self) }

    /// Gives what is left to whoever takes it.
    mutating func finish() {
        drain?(output)
        output.removeAll(keepingCapacity: true)
    }

    mutating func object(_ members: (inout JSONWriter) -> Void) {
        nested("{", "}", members)
    }

    mutating func array<Items: Sequence>(
        _ items: Items, _ write: (inout JSONWriter, Items.Element) -> Void
    ) {
        nested("[", "]") { writer in
            for item in items { write(&writer, item) }
        }
    }

    /// Begins a member; the next value is the member's.
    mutating func key(_ name: String) {
        separate()
        quote(name)
        output += isPretty ? [UInt8(ascii: ":"), UInt8(ascii: " ")] : [UInt8(ascii: ":")]
        isAfterKey = true
    }

    mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    mutating func number(_ number: some BinaryInteger) {
        separate()
        output += String(number).utf8
    }

    /// - Parameter digits: as RFC 8259, section 6, wants a number.
    mutating func number(digits: String) {
        separate()
        output += digits.utf8
    }

    mutating func bool(_ value: Bool) {
        separate()
        output += (value ? "true" : "false").utf8
    }

    private mutating func nested(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
    ) {
        separate()
        output.append(UInt8(ascii: open))
        depth += 1
        needsComma = false
        body(&self)
        depth -= 1
        if needsComma { breakLine() }
        output.append(UInt8(ascii: close))
        needsComma = true
    }

    /// A comma where one is due, and a line of its own.
    private mutating func separate() {
        if output.count >= 1 << 16, drain != nil { finish() }
        if isAfterKey {
            isAfterKey = false
        } else {
            if needsComma { output.append(UInt8(ascii: ",")) }
            if depth > 0 { breakLine() }
        }
        needsComma = true
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: depth * 2)
    }

    /// Section 7 of RFC 8259 wants escapes for quotes, backslashes and the first 32 characters.
    /// Whatever else a terminal could act on is escaped too, so that a report can be printed.
    private mutating func quote(_ text: String) {
        output.append(UInt8(ascii: "\""))
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        output += isPlain ? text.utf8 : text.printable(replacing: ["\"", "\\"], with: escape).utf8
        output.append(UInt8(ascii: "\""))
    }
}

/// The short escapes where there are some, otherwise one or two UTF-16 code units.
private func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\", "\n", "\r", "\t": scalar.escaped
    default:
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
