// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Nested arrays and objects: the parser recurses, on a stack that may be small.
    package static let depthLimit = 128

    /// Strictly RFC 8259. Of equal names the first counts. Numbers beyond 64 bits become the
    /// nearest `Double`; one beyond that range is rejected, so that all can be written.
    package init(
        parsing bytes: some Sequence<UInt8>, depthLimit: Int = JSONValue.depthLimit
    ) throws(JSONMistake) {
        var parser = JSONParser(Array(bytes), depthLimit: depthLimit)
        self = try parser.document()
    }
}

private struct JSONParser {
    private let bytes: [UInt8]
    private var offset = 0
    private var depthLeft: Int

    init(_ bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        depthLeft = depthLimit
    }

    mutating func document() throws(JSONMistake) -> JSONValue {
        // Section 8.1 allows a byte order mark to be skipped; some editors write one.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { offset = 3 }
        let value = try value()
        skipBlanks()
        guard offset == bytes.count else { throw mistake }
        return value
    }

    private var mistake: JSONMistake { JSONMistake(offset: offset) }

    /// Zero, which does not occur in JSON, after the last byte.
    private var next: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func skipBlanks() {
        while next == 0x20 || next == 0x0a || next == 0x0d || next == 0x09 { offset += 1 }
    }

    /// Skips blanks and `byte`; false if something else follows.
    private mutating func pass(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value() throws(JSONMistake) -> JSONValue {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"):
            try descend()
            defer { depthLeft += 1 }
            return .object(try members())
        case UInt8(ascii: "["):
            try descend()
            defer { depthLeft += 1 }
            return .list(try elements())
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONMistake) -> JSONValue {
        let isThere = word.withUTF8Buffer { bytes[offset...].starts(with: $0) }
        guard isThere else { throw mistake }
        offset += word.utf8CodeUnitCount
        return value
    }

    private mutating func descend() throws(JSONMistake) {
        guard depthLeft > 0 else { throw mistake }
        depthLeft -= 1
        offset += 1
    }

    private mutating func elements() throws(JSONMistake) -> [JSONValue] {
        var elements: [JSONValue] = []
        if pass(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value())
            if pass(UInt8(ascii: "]")) { return elements }
            guard pass(UInt8(ascii: ",")) else { throw mistake }
        }
    }

    private mutating func members() throws(JSONMistake) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if pass(UInt8(ascii: "}")) { return members }
        while true {
            skipBlanks()
            let name = try text()
            guard pass(UInt8(ascii: ":")) else { throw mistake }
            let value = try value()
            if members[name] == nil { members[name] = value }
            if pass(UInt8(ascii: "}")) { return members }
            guard pass(UInt8(ascii: ",")) else { throw mistake }
        }
    }

    private mutating func text() throws(JSONMistake) -> String {
        guard next == UInt8(ascii: "\"") else { throw mistake }
        offset += 1
        let start = offset
        skipPlain()
        if next == UInt8(ascii: "\"") { return try string(bytes[start..<offset]) }
        var decoded = Array(bytes[start..<offset])
        while next == UInt8(ascii: "\\") {
            offset += 1
            decoded += try escaped()
            let plain = offset
            skipPlain()
            decoded += bytes[plain..<offset]
        }
        return try string(decoded[...])
    }

    private mutating func skipPlain() {
        while next >= 0x20, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") { offset += 1 }
    }

    /// Ends a text; its bytes may still be invalid UTF-8.
    private mutating func string(_ decoded: ArraySlice<UInt8>) throws(JSONMistake) -> String {
        guard next == UInt8(ascii: "\""), let text = String(validating: decoded, as: UTF8.self)
        else { throw mistake }
        offset += 1
        return text
    }

    private mutating func escaped() throws(JSONMistake) -> Unicode.UTF8.EncodedScalar {
        let letter = next
        let scalar: Unicode.Scalar
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            scalar = Unicode.Scalar(letter)
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{c}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): scalar = try escapedScalar()
        default: throw mistake
        }
        offset += 1
        return UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }

    /// From a `u` to its last digit; two escapes for a scalar beyond 16 bits.
    private mutating func escapedScalar() throws(JSONMistake) -> Unicode.Scalar {
        let unit = try escapedUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        offset += 1
        guard UTF16.isLeadSurrogate(unit), next == UInt8(ascii: "\\") else { throw mistake }
        offset += 1
        guard next == UInt8(ascii: "u") else { throw mistake }
        let other = try escapedUnit()
        guard UTF16.isTrailSurrogate(other) else { throw mistake }
        return UTF16.decode(UTF16.EncodedScalar([unit, other]))
    }

    private mutating func escapedUnit() throws(JSONMistake) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            offset += 1
            guard let digit = next.digitValue else { throw mistake }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private mutating func number() throws(JSONMistake) -> JSONValue {
        let start = offset
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        // A leading zero must stand alone.
        let first = offset
        var magnitude = try digits()
        guard bytes[first] != UInt8(ascii: "0") || offset == first + 1 else {
            offset = first + 1
            throw mistake
        }
        var exponent = 0
        if next == UInt8(ascii: ".") {
            offset += 1
            let point = offset
            magnitude = try digits(after: magnitude)
            exponent = point - offset
        }
        if next | 0x20 == UInt8(ascii: "e") {
            offset += 1
            let sign = next == UInt8(ascii: "-") ? -1 : 1
            if sign < 0 || next == UInt8(ascii: "+") { offset += 1 }
            // Only zero, or a number that does not fit, has an exponent of more than 32 bits.
            exponent += sign * Int(Int32(clamping: try digits() ?? .max))
        }
        if let whole = magnitude.flatMap({ Self.whole($0, exponent) }), whole > 0 || !isNegative {
            if !isNegative { return JSONValue(whole) }
            if whole <= Int64.min.magnitude { return .integer(Int64(bitPattern: 0 &- whole)) }
        }
        // Includes minus zero, which is no integer.
        let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self))
        guard let number, number.isFinite else { throw mistake }
        return .number(number)
    }

    private mutating func digits(after start: UInt64? = 0) throws(JSONMistake) -> UInt64? {
        guard next.isDigit else { throw mistake }
        var value = start
        while next.isDigit {
            let (tens, isTooLarge) = (value ?? .max).multipliedReportingOverflow(by: 10)
            let (sum, isOver) = tens.addingReportingOverflow(UInt64(next & 15))
            value = isTooLarge || isOver ? nil : sum
            offset += 1
        }
        return value
    }

    /// Nil if not whole or too large. Exact, unlike `Double` beyond 2^53.
    private static func whole(_ digits: UInt64, _ exponent: Int) -> UInt64? {
        var value = digits
        // A nonzero number leaves 64 bits within 20 steps.
        for _ in 0..<(value == 0 ? 0 : exponent.magnitude) {
            if exponent < 0 {
                let (quotient, rest) = value.quotientAndRemainder(dividingBy: 10)
                guard rest == 0 else { return nil }
                value = quotient
            } else {
                let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
                guard !isTooLarge else { return nil }
                value = product
            }
        }
        return value
    }
}
