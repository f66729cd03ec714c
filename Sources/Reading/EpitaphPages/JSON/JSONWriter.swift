// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Writes JSON (RFC 8259) front to back, without building a tree, and without the whole text in
/// memory if drained: a report of 1,000 threads has some 100,000 values.
struct JSONWriter {
    private var output: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0
    /// True if a value precedes in the same array or object.
    private var needsComma = false
    private var isAfterKey = false
    /// Receives output, some 64 KiB at a time; nil to keep it all.
    private let drain: (([UInt8]) -> Void)?

    init(isPretty: Bool, drain: (([UInt8]) -> Void)? = nil) {
        self.isPretty = isPretty
        self.drain = drain
    }

    /// The output that was not drained.
    var text: String { String(decoding: output, as: UTF8.self) }

    /// Drains the rest.
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

    /// The next value is the member's.
    mutating func key(_ name: String) {
        separate()
        quote(name)
        endKey()
    }

    mutating func key(_ key: JSONKey) {
        separate()
        // Needs no escapes.
        output.append(UInt8(ascii: "\""))
        output += key.rawValue.utf8
        output.append(UInt8(ascii: "\""))
        endKey()
    }

    private mutating func endKey() {
        output.append(UInt8(ascii: ":"))
        if isPretty { output.append(UInt8(ascii: " ")) }
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

    /// - Parameter digits: a number as in RFC 8259, section 6.
    mutating func number(digits: String) {
        separate()
        output += digits.utf8
    }

    /// As `value.hex`, without a text for each: a report has thousands.
    mutating func string(hex value: some FixedWidthInteger & UnsignedInteger) {
        separate()
        output += "\"0x".utf8
        let digitCount = max(1, (type(of: value).bitWidth - value.leadingZeroBitCount + 3) / 4)
        for position in (0..<digitCount).reversed() {
            output.append((UInt8(truncatingIfNeeded: value >> (4 * position)) & 15).hexDigit)
        }
        output.append(UInt8(ascii: "\""))
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

    /// RFC 8259, section 7, requires escapes for quotes, backslashes and the first 32 characters.
    /// Everything else that affects a terminal is escaped too, so that reports can be printed.
    private mutating func quote(_ text: String) {
        output.append(UInt8(ascii: "\""))
        var text = text
        if !text.withUTF8({ quote(ascii: $0) }) {
            output += text.printable(replacing: ["\"", "\\"], with: escape).utf8
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Most of a report is ASCII: false for other text, of which each character must be looked up.
    private mutating func quote(ascii bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let eight = EightBytes(of: bytes)
        guard eight.areASCII else { return false }
        guard eight.haveMark else {
            output += bytes
            return true
        }
        var start = 0
        for (index, byte) in bytes.enumerated()
        where byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\"")
            || byte == UInt8(ascii: "\\")
        {
            output += bytes[start..<index]
            output += escape(Unicode.Scalar(byte)).utf8
            start = index + 1
        }
        output += bytes[start...]
        return true
    }
}

/// Short escapes if they exist, otherwise UTF-16 code units.
private func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\", "\n", "\r", "\t": scalar.escaped
    default: scalar.jsonEscaped
    }
}

/// Members by key. Unknown values are left out: a report has no nulls.
extension JSONWriter {
    mutating func member(_ key: JSONKey, _ text: String?) {
        guard let text else { return }
        self.key(key)
        string(text)
    }

    mutating func member(_ key: JSONKey, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.key(key)
        number(value)
    }

    mutating func member(_ key: JSONKey, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// Addresses, offsets and bit masks are strings: readers that keep numbers as `double`, as
    /// JavaScript does, lose bits above 2^53.
    mutating func member(_ key: JSONKey, hex value: (some FixedWidthInteger & UnsignedInteger)?) {
        guard let value else { return }
        self.key(key)
        string(hex: value)
    }

    /// ISO 8601 in UTC with milliseconds; left out if the time has no such form.
    mutating func member(_ key: JSONKey, _ time: Timestamp?) {
        guard let time else { return }
        let seconds = time.secondsSince1970
        let stamp = UTCTime.timestamp(time)
        guard stamp.hasSuffix("Z"), seconds.isFinite else { return }
        let milliseconds = Int((seconds - seconds.rounded(.down)) * 1000)
        let digits = String(1000 + min(milliseconds, 999)).dropFirst()
        member(key, "\(stamp.dropLast()).\(digits)Z")
    }

    mutating func member(_ key: JSONKey, seconds: Double?) {
        guard let seconds, seconds.isFinite else { return }
        self.key(key)
        number(digits: "\(seconds)")
    }

    mutating func member(_ key: JSONKey, nanoseconds: UInt64?) {
        guard let nanoseconds else { return }
        self.key(key)
        let fraction = String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst()
        number(digits: "\(nanoseconds / 1_000_000_000).\(fraction)")
    }

    mutating func object(_ key: JSONKey, _ members: (inout JSONWriter) -> Void) {
        self.key(key)
        object(members)
    }

    mutating func array<Items: Sequence>(
        _ key: JSONKey, _ items: Items, _ write: (inout JSONWriter, Items.Element) -> Void
    ) {
        self.key(key)
        array(items, write)
    }

    mutating func array(_ key: JSONKey, _ items: [String]) {
        array(key, items) { $0.string($1) }
    }

    mutating func objects<Items: Sequence>(
        _ key: JSONKey, _ items: Items, _ members: (inout JSONWriter, Items.Element) -> Void
    ) {
        array(key, items) { writer, item in writer.object { members(&$0, item) } }
    }
}
