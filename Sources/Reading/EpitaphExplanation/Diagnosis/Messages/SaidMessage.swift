// SPDX-License-Identifier: Apache-2.0

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
            case "glibc": Self.glibc(text)
            // Minidumps of other programs do not name the runtime; only clear forms count.
            case "": Self.fromAnybody(text)
            default: .other(text)
            }
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
        if text.hasPrefix("*** "), text.contains(" detected ***") || text.contains("terminated") {
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

    nonisolated(unsafe) private static let assertionPlace =
        #/^(?:[^:]*: )?(?<file>.+?):(?<line>[0-9]+): (?:(?<function>.+): )?$/#

    // "%s%s%s:%u: %s%sAssertion `%s' failed.\n": program, file, line, function.
    private static func assertion(_ text: String) -> SaidMessage? {
        guard let start = text.firstRange(of: "Assertion `"), text.hasSuffix("' failed.") else {
            return nil
        }
        let expression = text[start.upperBound...].dropLast("' failed.".count)
        let place = String(text[..<start.lowerBound])
        guard
            let parts = place.firstMatch(of: assertionPlace)
        else {
            return .assertion(
                expression: String(expression), file: nil, line: nil, function: nil)
        }
        return .assertion(
            expression: String(expression), file: String(parts.file), line: Int(parts.line),
            function: parts.function.map { String($0) })
    }

    // From epitaph_start's terminate handler: type, then what().
    private static func cxx(_ text: String) -> SaidMessage {
        if text.hasPrefix("std::terminate ") || text.hasPrefix("an exception of ") {
            return .cxxTerminate(text)
        }
        let text = cxxNames.reduce(text) { $0.replacing($1.long, with: $1.short) }
            .replacing(nestedType) { String($0.output.type) }
        guard let end = text.firstRange(of: ": ") else {
            return .cxxException(type: text, text: nil)
        }
        return .cxxException(
            type: String(text[..<end.lowerBound]), text: String(text[end.upperBound...]))
    }

    private static let cxxNames = [
        (
            long:
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
            short: "std::string"
        )
    ]
    /// What std::throw_with_nested makes of a type.
    nonisolated(unsafe) private static let nestedType =
        #/\bstd::_Nested_exception<(?<type>[^<>]{1,200})>/#

    private static func ofSwift(_ text: String) -> SaidMessage {
        let understood = swift(text)
        if case .other = understood { return .swiftOther(text) }
        return understood
    }

    private static let swiftKinds = ["Fatal error", "Precondition failed", "Assertion failed"]
    /// stdlib/public/runtime/Exclusivity.cpp and DynamicCast.cpp
    private static let conflicts = ["Fatal access conflict detected", "Simultaneous accesses to "]
    private static let failedCast = "Could not cast value of type "

    nonisolated(unsafe) private static let swiftPlace = #/(?<file>.+):(?<line>[0-9]+): /#

    // `_assertionFailure` writes `Module/File.swift:12: Fatal error: text`, or without a place.
    private static func swift(_ text: String) -> SaidMessage {
        if conflicts.contains(where: text.hasPrefix) { return .swiftConflict }
        if text.hasPrefix(failedCast) { return .swiftOther(text) }
        for kind in swiftKinds {
            guard let found = text.firstRange(of: kind) else { continue }
            let place = text[..<found.lowerBound]
            let rest = text[found.upperBound...].drop { $0 == ":" || $0 == " " }
            let parts = place.wholeMatch(of: swiftPlace)
            guard place.isEmpty || parts != nil else { continue }
            return .swift(
                kind: kind, text: String(rest), file: parts.map { String($0.file) },
                line: parts.flatMap { Int($0.line) })
        }
        return .other(text)
    }
}

extension String {
    fileprivate func before(_ mark: String) -> String {
        firstRange(of: mark).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
