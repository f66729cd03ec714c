// SPDX-License-Identifier: Apache-2.0

/// Where a C++ function's own name begins. The demangler writes the result's type before it if the
/// function is a template's: Itanium C++ ABI, 5.1.5.3.
package enum CxxDeclarator {
    /// - Returns: 5 for `void std::sort<int*>(int*, int*)`; 0 if brackets do not nest as in C++, and for
    ///   a result that is written on both sides of the name.
    package static func start(_ name: [UInt8]) -> Int {
        var start = 0
        var open: [UInt8] = []
        var position = 0
        while position < name.count {
            let byte = name[position]
            if let length = length(ofOperatorAt: position, in: name) {
                position += length
                // `operator bool`, `operator new`, `operator"" _km`
                let isEnd = position == name.count || [blank, quote].contains(name[position])
                if isEnd, open.isEmpty { break }
                continue
            }
            if let closing = brackets[byte] {
                open.append(closing)
            } else if has("->", at: position, in: name) {
                position += 1
            } else if byte == open.last {
                open.removeLast()
            } else if closings.contains(byte) {
                return 0
            } else if byte == blank, open.isEmpty {
                if isAfterParameters(position, in: name) { break }
                start = position + 1
            }
            position += 1
        }
        let isFunctionsAddress =
            has("(", at: start, in: name) && !has("(anonymous", at: start, in: name)
        return isFunctionsAddress || start >= name.count ? 0 : start
    }

    /// Without the result's type. A thunk's name says what it leads to.
    static func withoutResult(_ name: String) -> String {
        guard name.utf8.contains(blank) else { return name }
        let bytes = Array(name.utf8)
        let start = start(bytes)
        let before = String(decoding: bytes[..<start], as: UTF8.self)
        guard start > 0, !before.hasSuffix(" to "), !before.hasSuffix(" for ") else { return name }
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    private static let blank = UInt8(ascii: " ")
    private static let quote = UInt8(ascii: "\"")
    private static let brackets: [UInt8: UInt8] = [
        UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "{"): UInt8(ascii: "}"), UInt8(ascii: "<"): UInt8(ascii: ">"),
    ]
    private static let closings = Set(brackets.values)

    private static let signs = [
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
    ]

    /// With its sign, if that has a bracket; ` operator<< <char>` has a blank behind it.
    private static func length(ofOperatorAt start: Int, in name: [UInt8]) -> Int? {
        let word = "operator"
        guard has(word, at: start, in: name), start == 0 || !isWord(name[start - 1]),
            case let end = start + word.utf8.count, end == name.count || !isWord(name[end])
        else { return nil }
        let sign = signs.first { has($0, at: end, in: name) }.map(\.utf8.count) ?? 0
        let hasBlank = sign > 0 && has(" <", at: end + sign, in: name)
        return word.utf8.count + sign + (hasBlank ? 1 : 0)
    }

    /// ` const`, ` [clone .cold]`, ` (.cold)` and not `decltype (a) name`.
    private static func isAfterParameters(_ blank: Int, in name: [UInt8]) -> Bool {
        guard blank > 0, name[blank - 1] == UInt8(ascii: ")") else { return false }
        return ["const", "volatile", "&", "[", "(.", "noexcept"].contains {
            has($0, at: blank + 1, in: name)
        }
    }

    private static func has(_ text: String, at start: Int, in name: [UInt8]) -> Bool {
        start <= name.count && name[start...].starts(with: text.utf8)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
}
