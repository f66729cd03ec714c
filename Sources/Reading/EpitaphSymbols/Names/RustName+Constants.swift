// SPDX-License-Identifier: Apache-2.0

extension RustName {
    /// A generic argument that is a value. Inside another value it has no braces.
    mutating func readConstant(isInValue: Bool) throws {
        try nest { try $0.readConstantOfAnyKind(isInValue: isInValue) }
    }

    private mutating func readConstantOfAnyKind(isInValue: Bool) throws {
        let tag = try next()
        switch tag {
        case UInt8(ascii: "p"): try put("_")
        case UInt8(ascii: "B"):
            try followBackReference { try $0.readConstant(isInValue: isInValue) }
        case UInt8(ascii: "h"), UInt8(ascii: "t"), UInt8(ascii: "m"), UInt8(ascii: "y"),
            UInt8(ascii: "o"), UInt8(ascii: "j"):
            try put(Self.number(try readHexadecimal()))
        case UInt8(ascii: "a"), UInt8(ascii: "s"), UInt8(ascii: "l"), UInt8(ascii: "x"),
            UInt8(ascii: "n"), UInt8(ascii: "i"):
            try put((skip("n") ? "-" : "") + Self.number(try readHexadecimal()))
        case UInt8(ascii: "b"):
            switch try readHexadecimal() {
            case "0", "": try put("false")
            case "1": try put("true")
            default: throw Malformed()
            }
        case UInt8(ascii: "c"):
            guard let number = UInt32(try readHexadecimal(), radix: 16),
                let scalar = Unicode.Scalar(number)
            else { throw Malformed() }
            try put("'" + Self.escaped(scalar, quote: "'") + "'")
        default:
            position -= 1
            try readCompoundConstant(isInValue: isInValue)
        }
    }

    /// Compound values, in braces as generic arguments.
    private mutating func readCompoundConstant(isInValue: Bool) throws {
        let needsBraces =
            !isInValue
            && !(peek == UInt8(ascii: "R")
                && text.dropFirst(position + 1).first == UInt8(ascii: "e"))
        if needsBraces { try put("{") }
        switch try next() {
        case UInt8(ascii: "e"):
            try put("*")
            try readText()
        case UInt8(ascii: "R"):
            if skip("e") {
                try readText()
            } else {
                try put("&")
                try readConstant(isInValue: true)
            }
        case UInt8(ascii: "Q"):
            try put("&mut ")
            try readConstant(isInValue: true)
        case UInt8(ascii: "A"):
            try put("[")
            try readList { try $0.readConstant(isInValue: true) }
            try put("]")
        case UInt8(ascii: "T"):
            try put("(")
            let count = try readList { try $0.readConstant(isInValue: true) }
            try put(count == 1 ? ",)" : ")")
        case UInt8(ascii: "V"): try readVariant()
        default: throw Malformed()
        }
        if needsBraces { try put("}") }
    }

    private mutating func readVariant() throws {
        try readPath(isInValue: true)
        switch try next() {
        case UInt8(ascii: "U"): break
        case UInt8(ascii: "T"):
            try put("(")
            try readList { try $0.readConstant(isInValue: true) }
            try put(")")
        case UInt8(ascii: "S"):
            try put(" { ")
            try readList { name in
                _ = try name.readOptionalBase62(after: "s")
                try name.put(try name.readIdentifier() + ": ")
                try name.readConstant(isInValue: true)
            }
            try put(" }")
        default: throw Malformed()
        }
    }

    private mutating func readText() throws {
        let digits = Array(try readHexadecimal(keepsZeros: true).utf8)
        guard digits.count.isMultiple(of: 2) else { throw Malformed() }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        try put("\"" + text.unicodeScalars.map { Self.escaped($0, quote: "\"") }.joined() + "\"")
    }

    private mutating func readHexadecimal(keepsZeros: Bool = false) throws -> String {
        var digits: [UInt8] = []
        while true {
            let byte = try next()
            if byte == UInt8(ascii: "_") { break }
            guard "0123456789abcdef".utf8.contains(byte) else { throw Malformed() }
            digits.append(byte)
        }
        let significant = keepsZeros ? digits[...] : digits.drop { $0 == UInt8(ascii: "0") }
        return significant.isEmpty && !keepsZeros
            ? "0" : String(decoding: significant, as: UTF8.self)
    }

    /// Decimal if it fits into 64 bits.
    private static func number(_ digits: String) -> String {
        UInt64(digits, radix: 16).map(String.init) ?? "0x" + digits
    }

    private static func escaped(_ scalar: Unicode.Scalar, quote: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\0": "\\0"
        case "\\": "\\\\"
        case quote: "\\" + String(quote)
        default:
            scalar.value < 0x20 || scalar.value == 0x7f
                ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
        }
    }
}
