// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A function's name without the parts that vary between builds.
enum FunctionName {
    private static let longest = 160
    private static let longestRead = 2_000
    private static let longestArguments = 48

    /// The same few functions are on most stacks, and in most reports of a program. At most a
    /// mebibyte, because a daemon keeps it.
    private static let known = ForkSafeMutex<[String: String]>([:])
    private static let knownLimit = 1 << 10
    private static let longestKnown = 512

    static func normalized(_ name: String) -> String {
        if let known = known.withLock({ $0[name] }) { return known }
        let found = findNormalized(name)
        guard name.utf8.count <= longestKnown else { return found }
        known.withLock { known in
            if known.count == knownLimit { known = [:] }
            known[name] = found
        }
        return found
    }

    private static func findNormalized(_ name: String) -> String {
        // The rest would be cut anyway, except the suffixes of an ordinary name.
        let start = beginning(of: name, longestRead) ?? name
        var text = withoutSuffixes(withoutPrefixes(start))
        text = withoutDiscriminators(text)
        text = withShortArguments(text)
        return beginning(of: text, longest).map { $0 + "…" } ?? text
    }

    /// The first scalars; nil if there are no more. A scalar has at least one byte.
    private static func beginning(of text: String, _ count: Int) -> String? {
        guard text.utf8.count > count, text.unicodeScalars.count > count else { return nil }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
    }

    private static let prefixes = [
        "generic specialization <", "generic not re-abstracted specialization <",
        "function signature specialization <", "merged ", "specialized ", "outlined ",
        "partial apply forwarder for ", "partial apply for ",
        "suspend resume partial function for ",
        "await resume partial function for ", "async function pointer to ", "[inlined] ",
    ]

    private static func withoutPrefixes(_ name: String) -> String {
        var text = Substring(name)
        // Bounded, because a forged name may be long.
        for _ in 0..<16 {
            // `(3) suspend resume …` counts the parts of an async function.
            if text.first == "(" {
                let rest = text.dropFirst().drop { $0.isASCII && $0.isNumber }
                if rest.startIndex > text.index(after: text.startIndex),
                    rest.hasPrefix(") suspend") || rest.hasPrefix(") await")
                {
                    text = rest.dropFirst(2)
                }
            }
            guard let prefix = prefixes.first(where: { text.hasPrefix($0) }) else { break }
            text = text.dropFirst(prefix.count)
            guard prefix.hasSuffix("<") else { continue }
            // `… <Int> of f`
            guard let end = text.firstPlace(of: "> of ") else { break }
            text = text[end.upperBound...]
        }
        return String(text)
    }

    /// GCC's and LLVM's suffixes for function copies, symbol versions, the hash in Rust names.
    private static func withoutSuffixes(_ name: String) -> String {
        var text = name
        for _ in 0..<8 {
            // Suffixes are short and never end like most names.
            guard text.utf8.last != UInt8(ascii: ")") else { break }
            let end = text.suffix(64)
            guard
                let start = end.utf8.indices.first(where: {
                    suffixStarts.contains(end.utf8[$0]) && isSuffix(end[$0...])
                }),
                start > text.startIndex
            else { break }
            text.removeSubrange(start...)
        }
        return text
    }

    private static let suffixStarts = Array(".@: ".utf8)
    private static let copies = [
        "llvm", "constprop", "isra", "part", "cold", "lto_priv", "localalias", "warm", "resume",
        "destroy", "cleanup",
    ]

    /// `.cold`, `.isra.0`, `.12`, `@@GLIBC_2.14`, `::h0123456789abcdef`, ` [clone .part.0]`
    private static func isSuffix(_ text: Substring) -> Bool {
        let bytes = text.utf8
        switch bytes.first {
        case UInt8(ascii: "."):
            let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
            let isCopy = copies.contains { parts[0] == $0 }
            return (isCopy || parts.count == 1)
                && parts.dropFirst(isCopy ? 1 : 0).allSatisfy {
                    !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit)
                }
        case UInt8(ascii: "@"):
            let version = bytes.dropFirst(bytes.dropFirst().first == UInt8(ascii: "@") ? 2 : 1)
            return version.first.map { $0 >= 0x41 && $0 <= 0x5a } == true
                && version.allSatisfy {
                    $0.isDigit || $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a || "._".utf8.contains($0)
                }
        case UInt8(ascii: ":"):
            return bytes.count == 19 && text.hasPrefix("::h")
                && bytes.dropFirst(3).allSatisfy(\.isLowerHexDigit)
        case UInt8(ascii: " "):
            return text.hasPrefix(" [clone ") && text.firstIndex(of: "]") == text.indices.last
        default: return false
        }
    }

    /// `(name in _<32 digits>)` is file-private in Swift; `[abi:cxx11]` depends on the compiler.
    private static func withoutDiscriminators(_ name: String) -> String {
        // Most names have neither.
        var name = name
        if name.utf8.contains(UInt8(ascii: "(")) {
            name = name.replacingRuns(discriminated)
        }
        return name.utf8.contains(UInt8(ascii: "[")) ? name.replacingRuns(abiTag) : name
    }

    private static func discriminated(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        guard bytes[start] == UInt8(ascii: "(") else { return nil }
        let end = bytes.end(from: start + 1) { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") }
        // ` in _` and 32 digits
        let name = bytes[(start + 1)..<end].dropLast(37)
        guard (1...200).contains(name.count), bytes.has(" in _", at: name.endIndex),
            bytes[(name.endIndex + 5)..<end].allSatisfy({ $0.isDigit || $0 >= 0x41 && $0 <= 0x46 }),
            bytes.has(")", at: end)
        else { return nil }
        return (end + 1, name)
    }

    private static func abiTag(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        guard bytes.has("[abi:", at: start) else { return nil }
        let end = bytes.end(from: start + 5) { $0.isDigit || $0 >= 0x61 && $0 <= 0x7a }
        return end > start + 5 && bytes.has("]", at: end) ? (end + 1, []) : nil
    }

    /// Long generic argument lists become `<…>`.
    private static func withShortArguments(_ name: String) -> String {
        guard name.utf8.count > longestArguments, name.utf8.contains(UInt8(ascii: "<")) else {
            return name
        }
        var result = ""
        var open: [String.Index] = []
        var index = name.startIndex
        var kept = name.startIndex
        // `operator<` and `->` are not brackets.
        while index < name.endIndex {
            let character = name[index]
            let before = index == name.startIndex ? " " : name[name.index(before: index)]
            if character == "<", !name[..<index].hasSuffix("operator"), before != "<" {
                open.append(index)
            } else if character == ">", before != "-", let start = open.popLast(), open.isEmpty,
                name.distance(from: start, to: index) > longestArguments
            {
                result += name[kept...start] + "…>"
                kept = name.index(after: index)
            }
            index = name.index(after: index)
        }
        return result + name[kept...]
    }
}
