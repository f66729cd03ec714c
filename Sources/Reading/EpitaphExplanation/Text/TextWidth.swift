// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Columns on a terminal: two for East Asian letters and most emoji, none for combining marks.
/// Unicode Standard Annex 11, with ambiguous characters narrow.
package enum TextWidth {
    package static func columns(_ text: some StringProtocol) -> Int {
        // Most names are ASCII: one byte is one column.
        let bits = text.utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) }
        if bits ?? .max < 0x80 { return text.utf8.count }
        return text.reduce(0) { $0 + columns($1) }
    }

    /// The widest scalar counts: the others combine with it.
    package static func columns(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { max($0, columns($1)) }
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    /// Blocks with W or F in EastAsianWidth.txt; emoji are recognised by their property.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0x4dbf,
        0x4e00...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19,
        0xfe30...0xfe6b, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2fb,
        0x1f200...0x1f265, 0x20000...0x3fffd,
    ]
}

extension String {
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(width - TextWidth.columns(self), 0))
    }
}

package enum ShortenedText {
    package static let mark = "…"

    /// Length of the longest prefix that fits into `width` columns, at least one character.
    package static func prefix(_ text: some Sequence<Character>, columns width: Int) -> Int {
        var used = 0
        var count = 0
        for character in text {
            used += TextWidth.columns(character)
            guard used <= width || count == 0 else { break }
            count += 1
        }
        return count
    }

    package static func middle(_ text: String, columns width: Int) -> String {
        guard TextWidth.columns(text) > width else { return text }
        let room = max(width - 1, 2)
        return text.prefix(prefix(text, columns: room - room / 2)) + mark
            + text.suffix(prefix(text.reversed(), columns: room / 2))
    }

    package static func end(_ text: String, columns width: Int) -> String {
        guard TextWidth.columns(text) > width else { return text }
        return text.prefix(prefix(text, columns: max(width - 1, 1))) + mark
    }

    /// The end of a path is its most useful part.
    package static func start(_ text: String, columns width: Int) -> String {
        guard TextWidth.columns(text) > width else { return text }
        return mark + text.suffix(prefix(text.reversed(), columns: max(width - 1, 1)))
    }
}

/// Makes text from a dump safe to print: the crashed process, or whoever wrote the file, could move
/// the cursor, set the terminal's title or reorder the line, so everything but visible characters
/// and plain blanks is escaped.
package enum TerminalText {
    /// One line: line breaks and control, format (such as bidirectional overrides), unassigned and
    /// private-use characters become `\n`, `\t` or `\u{…}`.
    package static func line(_ text: String) -> String {
        text.printable()
    }

    /// Each line is safe by itself. A final line break does not begin another line.
    package static func lines(_ text: String) -> [String] {
        var scalars = text.unicodeScalars[...]
        if scalars.last == "\n" { scalars = scalars.dropLast() }
        return scalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(String($0)) }
    }

    package static func columns(_ text: String) -> Int {
        TextWidth.columns(text)
    }

    /// Safe to print, with an ellipsis at the end if it takes more than `columns`.
    package static func line(_ text: String, columns: Int) -> String {
        ShortenedText.end(line(text), columns: columns)
    }
}
