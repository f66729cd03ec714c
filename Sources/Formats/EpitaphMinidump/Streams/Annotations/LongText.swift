// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Texts longer than Breakpad's processor reads: up to 1,024 bytes of UTF-8 or units of UTF-16
/// (`Minidump::max_string_length_`, src/processor/minidump.cc). It rejects the whole stream for a
/// longer text: all annotations with the report's id, or all modules. So such a text gets a short
/// form there, which ends with its real length, and the full text goes into a module's annotation
/// objects, where Crashpad keeps texts of up to 20,480 bytes.
enum LongText {
    static let limit = 1_024

    private static let ellipsis = "…"
    private static let markEnd = " bytes in all)"

    static func short(_ text: String) -> String {
        let count = text.utf8.count
        guard count > limit else { return text }
        let mark = "\(ellipsis) (\(count)\(markEnd)"
        return text.prefix(byteCount: limit - mark.utf8.count) + mark
    }

    /// Whether a text ends like one cut by `short`.
    static func isShortForm(_ text: String) -> Bool {
        // Compares bytes: ASCII never occurs inside a longer UTF-8 sequence.
        guard text.utf8.count > limit / 2, text.hasSuffix(markEnd),
            let open = text.utf8.lastIndex(of: UInt8(ascii: "("))
        else { return false }
        let digits = text.utf8[text.utf8.index(after: open)...].dropLast(markEnd.utf8.count)
        return text[..<open].hasSuffix(ellipsis + " ") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// An ellipsis and the end, preferably from a slash on: the last component is looked up.
    static func shortPath(_ path: String) -> String {
        let units = path.utf16.count
        guard units > limit else { return path }
        let start = path.utf16.index(path.utf16.startIndex, offsetBy: units - limit + 1)
        // At the next character boundary.
        let whole = path.unicodeScalars.indices.first { $0 >= start } ?? path.endIndex
        let rest = path[whole...]
        return ellipsis + (rest.firstIndex(of: "/").map { rest[$0...] } ?? rest)
    }

    static func isShort(_ short: String, of path: String) -> Bool {
        short != path && short == shortPath(path)
    }
}
