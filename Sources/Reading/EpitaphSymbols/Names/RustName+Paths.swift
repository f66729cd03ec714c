// SPDX-License-Identifier: Apache-2.0

extension RustName {
    /// - Parameter isInValue: whether generic arguments need `::`, as in an expression.
    mutating func readPath(isInValue: Bool) throws {
        try nest { try $0.readPathOfAnyKind(isInValue: isInValue) }
    }

    private mutating func readPathOfAnyKind(isInValue: Bool) throws {
        switch try next() {
        case UInt8(ascii: "C"):
            _ = try readOptionalBase62(after: "s")
            try put(try readIdentifier())
        case UInt8(ascii: "N"): try readNestedPath(isInValue: isInValue)
        case UInt8(ascii: "M"):
            try skipImplementationPath()
            try readSelf(isTraitNext: false)
        case UInt8(ascii: "X"):
            try skipImplementationPath()
            try readSelf(isTraitNext: true)
        case UInt8(ascii: "Y"): try readSelf(isTraitNext: true)
        case UInt8(ascii: "I"):
            try readPath(isInValue: isInValue)
            if isInValue { try put("::") }
            try put("<")
            try readList { try $0.readGenericArgument() }
            try put(">")
        case UInt8(ascii: "B"):
            try followBackReference { try $0.readPath(isInValue: isInValue) }
        default: throw Malformed()
        }
    }

    private mutating func readSelf(isTraitNext: Bool) throws {
        try put("<")
        try readType()
        if isTraitNext {
            try put(" as ")
            try readPath(isInValue: false)
        }
        try put(">")
    }

    /// The location of the `impl` adds nothing to its type.
    private mutating func skipImplementationPath() throws {
        _ = try readOptionalBase62(after: "s")
        let wasShown = isShown
        isShown = false
        try readPath(isInValue: false)
        isShown = wasShown
    }

    private mutating func readNestedPath(isInValue: Bool) throws {
        let namespace = try next()
        try readPath(isInValue: isInValue)
        let number = try readOptionalBase62(after: "s")
        let name = try readIdentifier()
        switch namespace {
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            // Compiler namespaces are not printed.
            if !name.isEmpty { try put("::" + name) }
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            let kind =
                switch namespace {
                case UInt8(ascii: "C"): "closure"
                case UInt8(ascii: "S"): "shim"
                default: String(Unicode.Scalar(namespace))
                }
            try put("::{\(kind)" + (name.isEmpty ? "" : ":" + name) + "#\(number)}")
        default: throw Malformed()
        }
    }

    mutating func readGenericArgument() throws {
        if skip("L") {
            try putLifetime(try readBase62())
        } else if skip("K") {
            try readConstant(isInValue: false)
        } else {
            try readType()
        }
    }

    @discardableResult
    mutating func readList(
        separator: String = ", ", _ element: (inout RustName) throws -> Void
    ) throws -> Int {
        var count = 0
        while !skip("E") {
            if count > 0 { try put(separator) }
            try nest(element)
            count += 1
        }
        return count
    }

    mutating func readIdentifier() throws -> String {
        let isPunycode = skip("u")
        let length = try readDecimal()
        // The separator keeps a leading digit apart from the length.
        _ = skip("_")
        guard length <= text.count - position else { throw Malformed() }
        let bytes = text[position..<position + length]
        position += length
        guard isPunycode else { return String(decoding: bytes, as: UTF8.self) }
        return Punycode.decode(bytes) ?? "punycode{" + String(decoding: bytes, as: UTF8.self) + "}"
    }

    private mutating func readDecimal() throws -> Int {
        var value = 0
        var digits = 0
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
            digits += 1
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= text.count else { throw Malformed() }
            if digits == 1, value == 0 { break }
        }
        guard digits > 0 else { throw Malformed() }
        return value
    }
}
