// SPDX-License-Identifier: Apache-2.0

/// Function names as the author would write them, in stacks, headlines and signatures.
enum ShortFunctionName {
    /// - Parameter rawName: the name in the file, which shows the language.
    static func shortened(_ function: String, rawName: String?) -> String {
        if let rawName, Demangler.isSwift(rawName) {
            return SwiftShortName.shortened(rawName) ?? function
        }
        let own = ofCoroutine(withoutCompilerMarks(function))
        let isCxx = rawName?.hasPrefix("_Z") == true
        return CxxShortName.shortened(isCxx ? CxxDeclarator.withoutResult(own) : own)
    }

    /// `load(int)` for `load(load(int)::_Z4loadi.Frame*)`, in debug information
    /// `load(_Z4loadi.Frame*)`: GCC moves a coroutine's body to a function of its own.
    private static func ofCoroutine(_ name: String) -> String {
        let end = ".Frame*)"
        guard name.hasSuffix(end),
            let start = name[...].range(ofLast: "::_Z") ?? name[...].range(ofLast: "(_Z")
        else { return name }
        let mangled = name[start.upperBound...].dropLast(end.utf8.count)
        let whole = Demangler.demangle("_Z\(mangled)")
        // Not another function that is given a coroutine's frame.
        let isBody = whole.indices.contains { whole[$0] == "(" && name.hasPrefix(whole[...$0]) }
        return isBody ? whole : name
    }

    private static let marks: Set<Substring> = [
        "cold", "constprop", "isra", "llvm", "localalias", "lto_priv", "part", "warm",
    ]

    private static func withoutCompilerMarks(_ name: String) -> String {
        var name = name[...]
        // Functions are split and copied a few times at most.
        for _ in 0..<8 {
            guard let end = startOfMark(name) else { break }
            name = name[..<end]
        }
        return String(name)
    }

    private static func startOfMark(_ name: Substring) -> Substring.Index? {
        // Called for every name; bytes are compared faster than characters.
        guard let last = name.utf8.last else { return nil }
        if last == UInt8(ascii: "]"), let start = name.range(ofLast: " [clone .") {
            return start.lowerBound
        }
        if last == UInt8(ascii: ")"), let start = name.range(ofLast: " (.") {
            let word = name[start.upperBound...].prefix { $0 != "." && $0 != ")" }
            return marks.contains(word) ? start.lowerBound : nil
        }
        var end = name
        if let dot = end.lastIndex(of: "."), dot > end.startIndex,
            end[end.index(after: dot)...].utf8.allSatisfy(\.isDigit)
        {
            end = end[..<dot]
        }
        guard let dot = end.lastIndex(of: "."), dot > end.startIndex,
            marks.contains(end[end.index(after: dot)...])
        else { return nil }
        return dot
    }
}

extension Substring {
    /// - Parameter text: must be ASCII.
    fileprivate func range(ofLast text: String) -> Range<Index>? {
        let wanted = Array(text.utf8)
        var end = utf8.endIndex
        while let start = utf8.index(end, offsetBy: -wanted.count, limitedBy: utf8.startIndex) {
            if utf8[start..<end].elementsEqual(wanted) { return start..<end }
            end = utf8.index(before: end)
        }
        return nil
    }
}

/// Caches short names, because the same functions are on most stacks. Not thread-safe.
package final class ShortFunctionNames {
    private struct Key: Hashable {
        let function: String
        let rawName: String?
    }
    private var known: [Key: String] = [:]

    package init() {}

    package func name(for call: SourceFrame) -> String? {
        guard let function = call.function else { return nil }
        let key = Key(function: function, rawName: call.rawName)
        if let name = known[key] { return name }
        let name = ShortFunctionName.shortened(function, rawName: call.rawName)
        known[key] = name
        return name
    }
}
