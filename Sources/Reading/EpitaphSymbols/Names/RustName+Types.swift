// SPDX-License-Identifier: Apache-2.0

extension RustName {
    static let basicTypes: [UInt8: String] = [
        UInt8(ascii: "a"): "i8", UInt8(ascii: "b"): "bool", UInt8(ascii: "c"): "char",
        UInt8(ascii: "d"): "f64", UInt8(ascii: "e"): "str", UInt8(ascii: "f"): "f32",
        UInt8(ascii: "h"): "u8", UInt8(ascii: "i"): "isize", UInt8(ascii: "j"): "usize",
        UInt8(ascii: "l"): "i32", UInt8(ascii: "m"): "u32", UInt8(ascii: "n"): "i128",
        UInt8(ascii: "o"): "u128", UInt8(ascii: "p"): "_", UInt8(ascii: "s"): "i16",
        UInt8(ascii: "t"): "u16", UInt8(ascii: "u"): "()", UInt8(ascii: "v"): "...",
        UInt8(ascii: "x"): "i64", UInt8(ascii: "y"): "u64", UInt8(ascii: "z"): "!",
    ]

    mutating func readType() throws {
        try nest { try $0.readTypeOfAnyKind() }
    }

    private mutating func readTypeOfAnyKind() throws {
        let tag = try next()
        if let basic = Self.basicTypes[tag] { return try put(basic) }
        switch tag {
        case UInt8(ascii: "R"): try readReference("&")
        case UInt8(ascii: "Q"): try readReference("&", "mut ")
        case UInt8(ascii: "P"):
            try put("*const ")
            try readType()
        case UInt8(ascii: "O"):
            try put("*mut ")
            try readType()
        case UInt8(ascii: "A"), UInt8(ascii: "S"):
            try put("[")
            try readType()
            if tag == UInt8(ascii: "A") {
                try put("; ")
                try readConstant(isInValue: true)
            }
            try put("]")
        case UInt8(ascii: "T"):
            try put("(")
            let count = try readList { try $0.readType() }
            try put(count == 1 ? ",)" : ")")
        case UInt8(ascii: "F"): try withBinder { try $0.readFunctionType() }
        case UInt8(ascii: "D"): try readDynamicType()
        case UInt8(ascii: "B"): try followBackReference { try $0.readType() }
        default:
            // Anything else is the path of a type.
            position -= 1
            try readPath(isInValue: false)
        }
    }

    private mutating func readDynamicType() throws {
        try put("dyn ")
        try withBinder { name in
            try name.readList(separator: " + ") { try $0.readBound() }
        }
        guard skip("L") else { throw Malformed() }
        let lifetime = try readBase62()
        if lifetime != 0 {
            try put(" + ")
            try putLifetime(lifetime)
        }
    }

    private mutating func readReference(_ sign: String, _ mutability: String = "") throws {
        try put(sign)
        if skip("L") {
            let lifetime = try readBase62()
            if lifetime != 0 {
                try putLifetime(lifetime)
                try put(" ")
            }
        }
        try put(mutability)
        try readType()
    }

    private mutating func readFunctionType() throws {
        if skip("U") { try put("unsafe ") }
        if skip("K") {
            let convention = skip("C") ? "C" : try readIdentifier()
            // Names cannot contain dashes.
            let spelled = convention.map { $0 == "_" ? "-" : String($0) }.joined()
            try put("extern \"\(spelled)\" ")
        }
        try put("fn(")
        try readList { try $0.readType() }
        try put(")")
        if skip("u") { return }
        try put(" -> ")
        try readType()
    }

    private mutating func readBound() throws {
        var isOpen = try readTraitPath()
        while skip("p") {
            try put(isOpen ? ", " : "<")
            isOpen = true
            try put(try readIdentifier() + " = ")
            try readType()
        }
        if isOpen { try put(">") }
    }

    /// - Returns: whether its generic arguments' brackets are still open.
    private mutating func readTraitPath() throws -> Bool {
        var isOpen = false
        if skip("B") {
            try followBackReference { isOpen = try $0.readTraitPath() }
        } else if skip("I") {
            try readPath(isInValue: false)
            try put("<")
            try readList { try $0.readGenericArgument() }
            isOpen = true
        } else {
            try readPath(isInValue: false)
        }
        return isOpen
    }

    private mutating func withBinder(_ body: (inout RustName) throws -> Void) throws {
        let count = try readOptionalBase62(after: "G")
        // No real name has more than one per letter.
        guard count <= UInt64(text.count) else { throw Malformed() }
        if count > 0 {
            try put("for<")
            for index in 0..<count {
                if index > 0 { try put(", ") }
                boundLifetimes += 1
                try putLifetime(1)
            }
            try put("> ")
        }
        try body(&self)
        boundLifetimes -= count
    }

    /// - Parameter index: 0 for an erased lifetime, otherwise counted from the innermost `for`.
    mutating func putLifetime(_ index: UInt64) throws {
        guard index > 0 else { return try put("'_") }
        guard index <= boundLifetimes else {
            // Skipped parts do not count lifetimes.
            guard isShown else { return }
            throw Malformed()
        }
        let depth = boundLifetimes - index
        guard depth >= 26 else {
            let letter = Unicode.Scalar(UInt8(ascii: "a") + UInt8(truncatingIfNeeded: depth))
            return try put("'" + String(letter))
        }
        try put("'_\(depth)")
    }
}
