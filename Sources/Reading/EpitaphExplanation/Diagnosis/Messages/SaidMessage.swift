// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphValues

enum SaidMessage: Equatable {
    /// assert(3). The program's name may precede the file.
    case assertion(expression: String, file: String?, line: Int?, function: String?)
    case heapCorruption(String)
    case stackSmashing
    case bufferOverflow(String)
    /// `text` is what(); nil if empty.
    case cxxException(type: String, text: String?)
    case cxxTerminate(String)
    /// Not the cause: the thread was handling it.
    case cxxHandled(type: String, text: String?)
    /// `kind` is `Fatal error`, `Precondition failed` and so on.
    case swift(kind: String, text: String, file: String?, line: Int?)
    /// SE-0176.
    case swiftConflict
    /// Another message of Swift's runtime, such as a failed cast.
    case swiftOther(String)
    case other(String)

    init(_ message: CrashMessage) {
        let text = message.text.trimmed
        self =
            switch message.source {
            case "swift": Self.ofSwift(text)
            case "c++": Self.cxx(text)
            case "c++ handled": Self.cxxHandled(text)
            case "glibc": Self.glibc(text)
            // Minidumps of other programs do not name the runtime; only clear forms count.
            case "": Self.fromAnybody(text)
            default: .other(text)
            }
    }

    /// The texts in it that tell a reader something.
    var parts: [String] {
        let parts: [String?] =
            switch self {
            case .assertion(let expression, let file, let line, let function):
                [expression, Self.place(file, line), function]
            case .swift(_, let text, let file, let line): [text, Self.place(file, line)]
            case .cxxException(let type, let text), .cxxHandled(let type, let text): [type, text]
            case .stackSmashing: []
            case .swiftConflict: ["Fatal access conflict detected"]
            case .heapCorruption(let text), .bufferOverflow(let text), .cxxTerminate(let text),
                .swiftOther(let text), .other(let text):
                [text]
            }
        return parts.compactMap(\.self).filter { !$0.isEmpty }
    }

    private static func place(_ file: String?, _ line: Int?) -> String? {
        file.map { file in file + (line.map { ":\($0)" } ?? "") }
    }

    private static func fromAnybody(_ text: String) -> SaidMessage {
        let understood = glibc(text)
        if case .other = understood { return swift(text) }
        return understood
    }

    // glibc 2.36: assert/assert.c, malloc/malloc.c, debug/fortify_fail.c.
    private static func glibc(_ text: String) -> SaidMessage {
        if let assertion = assertion(text) { return assertion }
        if text.hasPrefix("*** stack smashing detected ***") { return .stackSmashing }
        if text.hasPrefix("*** "), text.has(" detected ***") || text.has("terminated") {
            return .bufferOverflow(String(text.drop { "* ".contains($0) }).before(" ***"))
        }
        let isHeap = heapTexts.contains { text.hasPrefix($0) }
        return isHeap ? .heapCorruption(text) : .other(text)
    }

    private static let heapTexts = [
        "double free or corruption", "free(): ", "malloc(): ", "realloc(): ", "calloc(): ",
        "malloc_consolidate(): ", "munmap_chunk(): ", "mremap_chunk(): ", "corrupted size",
        "corrupted double-linked list", "break adjusted to free malloc space",
        "malloc: top chunk is corrupt", "Fatal glibc error: malloc", "invalid fastbin entry",
    ]

    // "%s%s%s:%u: %s%sAssertion `%s' failed.\n": program, file, line, function.
    private static func assertion(_ text: String) -> SaidMessage? {
        guard let start = text.firstPlace(of: "Assertion `"), text.hasSuffix("' failed.") else {
            return nil
        }
        let expression = text[start.upperBound...].dropLast("' failed.".count)
        let (place, function) = assertionPlace(text[..<start.lowerBound]) ?? (nil, nil)
        return .assertion(
            expression: String(expression), file: place?.file, line: place?.line,
            function: function)
    }

    /// `program: file:line: function: `; the program and the function may be missing.
    private static func assertionPlace(_ text: Substring) -> (SourcePlace?, function: String?)? {
        let program = text.prefix { $0 != ":" }
        let rest = text[program.endIndex...]
        for start in (rest.hasPrefix(": ") ? [rest.dropFirst(2)] : []) + [text] {
            var function = start
            while let mark = function.firstPlace(of: ": ") {
                function = function[mark.upperBound...]
                guard let place = SourcePlace(start[..<mark.upperBound]) else { continue }
                if function.isEmpty { return (place, nil) }
                let name = function.dropLast(2)
                if function.hasSuffix(": "), !name.isEmpty, !name.contains(where: \.isNewline) {
                    return (place, String(name))
                }
            }
        }
        return nil
    }

    /// `file:line: ` and nothing else.
    private struct SourcePlace {
        let file: String
        /// Nil if it is no line number that a compiler writes.
        let line: Int?

        init?(_ text: Substring) {
            guard text.hasSuffix(": "), let colon = text.dropLast(2).lastIndex(of: ":") else {
                return nil
            }
            let file = text[..<colon]
            let digits = text[colon...].dropFirst().dropLast(2)
            guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit), !file.isEmpty,
                !file.contains(where: \.isNewline)
            else { return nil }
            self.file = String(file)
            line = Int(digits)
        }
    }

    // From epitaph_start's terminate handler: type, then what().
    private static func cxx(_ text: String) -> SaidMessage {
        if text.hasPrefix("std::terminate ") || text.hasPrefix("an exception of ") {
            return .cxxTerminate(text)
        }
        let text = text.replacingEach(longString, with: "std::string").replacingRuns(nestedType)
        // What comes behind the type: what(), or how it was thrown.
        let ends = [": ", "; "].compactMap(text.firstPlace).min { $0.lowerBound < $1.lowerBound }
        // Of an empty what() nothing is left but the colon.
        let type = text[..<(ends?.lowerBound ?? text.endIndex)]
        return .cxxException(
            type: CxxShortName.shortened(String(type.last == ":" ? type.dropLast() : type)),
            text: ends.map { String(text[$0.upperBound...]) })
    }

    private static let nesting = "; it was thrown while handling "

    private static func cxxHandled(_ text: String) -> SaidMessage {
        var words = ""
        var rest = text[...]
        while let place = rest.firstPlace(of: nesting) {
            words += withName(rest[..<place.lowerBound]) + nesting
            rest = rest[place.upperBound...]
        }
        guard case .cxxException(let type, let what) = cxx(words + withName(rest)) else {
            return .other(text)
        }
        return .cxxHandled(type: type, text: what)
    }

    /// The type of an exception, with which the words of each begin, demangled.
    private static func withName(_ words: Substring) -> String {
        let name = words.prefix { $0 != ":" }
        let known = Demangler.demangle("_ZTS\(name)").dropPrefix("typeinfo name for ")
        return (known ?? String(name)) + words.dropFirst(name.count)
    }

    private static let longString =
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

    /// The type that std::throw_with_nested made `std::_Nested_exception<type>` of.
    private static func nestedType(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        let nested = "std::_Nested_exception<"
        guard bytes.has(nested, at: start), !bytes.isWord(before: start) else { return nil }
        let type = start + nested.utf8.count
        let end = bytes.end(from: type) { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
        guard (1...200).contains(end - type), bytes.has(">", at: end) else { return nil }
        return (end + 1, bytes[type..<end])
    }

    private static func ofSwift(_ text: String) -> SaidMessage {
        let understood = swift(text)
        if case .other = understood { return .swiftOther(text) }
        return understood
    }

    static let swiftKinds = ["Fatal error", "Precondition failed", "Assertion failed"]
    /// stdlib/public/runtime/Exclusivity.cpp and DynamicCast.cpp
    private static let conflicts = ["Fatal access conflict detected", "Simultaneous accesses to "]
    private static let failedCast = "Could not cast value of type "

    // `_assertionFailure` writes `Module/File.swift:12: Fatal error: text`, or without a place.
    private static func swift(_ text: String) -> SaidMessage {
        if conflicts.contains(where: text.hasPrefix) { return .swiftConflict }
        if text.hasPrefix(failedCast) { return .swiftOther(text) }
        for kind in swiftKinds {
            guard let found = text.firstPlace(of: kind) else { continue }
            let place = text[..<found.lowerBound]
            let rest = text[found.upperBound...].drop { $0 == ":" || $0 == " " }
            let source = SourcePlace(place)
            guard place.isEmpty || source != nil else { continue }
            return .swift(
                kind: kind, text: String(rest), file: source?.file, line: source?.line)
        }
        return .other(text)
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    fileprivate func before(_ mark: String) -> String {
        firstPlace(of: mark).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
