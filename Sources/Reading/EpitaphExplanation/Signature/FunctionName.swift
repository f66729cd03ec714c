// SPDX-License-Identifier: Apache-2.0

/// A function's name without the parts that vary between builds.
enum FunctionName {
    private static let longest = 160
    private static let longestRead = 2_000
    private static let longestArguments = 48

    static func normalized(_ name: String) -> String {
        // The rest would be cut anyway, except the suffixes of an ordinary name.
        let start = String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestRead)))
        var text = withoutSuffixes(withoutPrefixes(start))
        text = withoutDiscriminators(text)
        text = withShortArguments(text)
        guard text.unicodeScalars.count > longest else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
    }

    /// Printed by Swift's demangler before the name of a function that the optimiser derived.
    private static let prefixes = [
        "generic specialization <", "generic not re-abstracted specialization <",
        "function signature specialization <", "merged ", "specialized ", "outlined ",
        "partial apply forwarder for ", "partial apply for ",
        "suspend resume partial function for ",
        "await resume partial function for ", "async function pointer to ", "[inlined] ",
    ]

    // Regex literals are compiled at each evaluation; as constants only once.
    nonisolated(unsafe) private static let asyncPart = /\([0-9]+\) (?=suspend|await)/
    nonisolated(unsafe) private static let mark =
        #/
        (?: \.(?:llvm|constprop|isra|part|cold|lto_priv|localalias|warm|resume|destroy|cleanup)
            (?:\.[0-9]+)*
        | \.[0-9]+ | @@?[A-Z][A-Za-z_0-9.]* | ::h[0-9a-f]{16} | \ \[clone\ [^\]]*\] )$
        /#
    nonisolated(unsafe) private static let discriminator =
        /\((?<name>[^()]{1,200}) in _[0-9A-F]{32}\)/
    nonisolated(unsafe) private static let abiTag = /\[abi:[a-z0-9]+\]/

    private static func withoutPrefixes(_ name: String) -> String {
        var text = Substring(name)
        // Bounded, because a forged name may be long.
        for _ in 0..<16 {
            // `(3) suspend resume …` counts the parts of an async function.
            if text.first == "(", let count = text.prefixMatch(of: asyncPart) {
                text = text[count.range.upperBound...]
            }
            guard let prefix = prefixes.first(where: { text.hasPrefix($0) }) else { break }
            text = text.dropFirst(prefix.count)
            guard prefix.hasSuffix("<") else { continue }
            // `… <Int> of f`
            guard let end = text.firstRange(of: "> of ") else { break }
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
            guard let found = end.firstMatch(of: mark), found.range.lowerBound > text.startIndex
            else { break }
            text.removeSubrange(found.range)
        }
        return text
    }

    /// `(name in _<32 digits>)` is file-private in Swift; `[abi:cxx11]` depends on the compiler.
    private static func withoutDiscriminators(_ name: String) -> String {
        // Most names have neither.
        var name = name
        if name.utf8.contains(UInt8(ascii: "(")) {
            name = name.replacing(discriminator) { String($0.output.name) }
        }
        return name.utf8.contains(UInt8(ascii: "[")) ? name.replacing(abiTag, with: "") : name
    }

    /// Long generic argument lists become `<…>`.
    private static func withShortArguments(_ name: String) -> String {
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
