// SPDX-License-Identifier: Apache-2.0

/// How many columns of a terminal a text takes: two for East Asian letters and most emoji, none for
/// a mark that combines with the letter before it.
///
/// Unicode Standard Annex 11 (East Asian Width), with ambiguous characters narrow, as in terminals
/// outside East Asia.
package enum TextWidth {
    package static func columns(_ text: some StringProtocol) -> Int {
        // Most names are ASCII, where one byte is one column.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns($1) }
    }

    /// The widest scalar counts: the others of a character combine with it.
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

    /// Blocks whose letters are W or F in EastAsianWidth.txt; emoji are recognised by their
    /// property.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0x4dbf,
        0x4e00...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19,
        0xfe30...0xfe6b, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2fb,
        0x1f200...0x1f265, 0x20000...0x3fffd,
    ]
}

extension StringProtocol {
    /// The text padded with blanks to `width` columns.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(width - TextWidth.columns(self), 0))
    }
}
