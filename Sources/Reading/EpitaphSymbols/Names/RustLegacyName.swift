// SPDX-License-Identifier: Apache-2.0

/// Rust's default mangling before 2025: C++'s, with other characters escaped and a hash as the last
/// part. "Legacy symbol mangling" in the rustc book.
enum RustLegacyName {
    static func demangle(_ name: String) -> String? {
        guard name.hasPrefix("_ZN"), name.utf8.count < 8_192 else { return nil }
        var parts: [[UInt8]] = []
        var rest = Array(name.utf8)[3...]
        while let first = rest.first, first != UInt8(ascii: "E") {
            guard let part = takePart(&rest) else { return nil }
            parts.append(part)
        }
        // LLVM's suffixes such as .llvm.1234 are not part of the name.
        guard rest.first != nil, rest.dropFirst().first.map({ $0 == UInt8(ascii: ".") }) ?? true,
            let hash = parts.popLast(), isHash(hash), !parts.isEmpty
        else { return nil }
        return parts.map(spelledOut).joined(separator: "::")
    }

    private static func takePart(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var length = 0
        while let digit = rest.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
            length = length * 10 + Int(digit - UInt8(ascii: "0"))
            guard length <= rest.count else { return nil }
            rest = rest.dropFirst()
        }
        guard length > 0, length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// `h` and 16 lower-case hexadecimal digits.
    private static func isHash(_ part: [UInt8]) -> Bool {
        part.count == 17 && part[0] == UInt8(ascii: "h")
            && part.dropFirst().allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    private static let escapes: [String: String] = [
        "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
    ]

    private static func spelledOut(_ part: [UInt8]) -> String {
        var rest = String(decoding: part, as: UTF8.self)[...]
        // A part may not begin with an escape.
        if rest.hasPrefix("_$") { rest = rest.dropFirst() }
        var text = ""
        while let character = rest.first {
            if rest.hasPrefix("..") {
                text += "::"
                rest = rest.dropFirst(2)
            } else if character == "$", let end = rest.dropFirst().firstIndex(of: "$"),
                let meaning = meaning(of: String(rest[rest.index(after: rest.startIndex)..<end]))
            {
                text += meaning
                rest = rest[rest.index(after: end)...]
            } else {
                text.append(character)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// A short name, or a number as in `u20`.
    private static func meaning(of escape: String) -> String? {
        if let known = escapes[escape] { return known }
        guard escape.hasPrefix("u"), escape.utf8.count <= 7,
            let number = UInt32(escape.dropFirst(), radix: 16),
            let scalar = Unicode.Scalar(number), number >= 0x20, number != 0x7f
        else { return nil }
        return String(Character(scalar))
    }
}
