// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Texts that are longer than Breakpad's processor reads.
///
/// It takes 1,024 bytes of UTF-8 or 1,024 units of UTF-16 (`Minidump::max_string_length_`,
/// src/processor/minidump.cc), and gives up the whole stream of a text that is longer: all annotations
/// with the report's id, or all modules. So such a text stands there in a short form that ends with
/// how long it really is, and whole where Breakpad does not look: among the annotation objects of a
/// module, where Crashpad keeps texts of up to 20,480 bytes.
enum LongText {
    static let limit = 1_024

    private static let ellipsis = "…"
    private static let markEnd = " bytes in all)"

    /// The text itself where it is short enough; else its beginning, cut at a character, and its mark.
    static func short(_ text: String) -> String {
        let count = text.utf8.count
        guard count > limit else { return text }
        let mark = "\(ellipsis) (\(count)\(markEnd)"
        return text.prefix(byteCount: limit - mark.utf8.count) + mark
    }

    /// Whether a text ends as those do that `short` cut.
    static func isShortForm(_ text: String) -> Bool {
        // Bytes, which the ends of characters that are no ASCII cannot be mistaken in.
        guard text.utf8.count > limit / 2, text.hasSuffix(markEnd),
            let open = text.utf8.lastIndex(of: UInt8(ascii: "("))
        else { return false }
        let digits = text.utf8[text.utf8.index(after: open)...].dropLast(markEnd.utf8.count)
        return text[..<open].hasSuffix(ellipsis + " ") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// A path's end behind an ellipsis, from one of its slashes on where there is one: a module is
    /// looked for by the last part of its name. The path itself where it is short enough.
    static func shortPath(_ path: String) -> String {
        let units = path.utf16.count
        guard units > limit else { return path }
        let start = path.utf16.index(path.utf16.startIndex, offsetBy: units - limit + 1)
        // Up to the next character that is whole.
        let whole = path.unicodeScalars.indices.first { $0 >= start } ?? path.endIndex
        let rest = path[whole...]
        return ellipsis + (rest.firstIndex(of: "/").map { rest[$0...] } ?? rest)
    }

    /// Whether `short` stands for `path`.
    static func isShort(_ short: String, of path: String) -> Bool {
        short != path && short == shortPath(path)
    }
}
