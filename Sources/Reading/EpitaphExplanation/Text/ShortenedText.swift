// SPDX-License-Identifier: Apache-2.0

/// Parts of a text that is too long for a line.
package enum ShortenedText {
    package static let mark = "…"

    /// The longest beginning that takes at most `width` columns, and at least one character.
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

    /// Begin and end of `text` around an ellipsis.
    package static func middle(_ text: String, columns width: Int) -> String {
        guard TextWidth.columns(text) > width else { return text }
        let room = max(width - 1, 2)
        return text.prefix(prefix(text, columns: room - room / 2)) + mark
            + text.suffix(prefix(text.reversed(), columns: room / 2))
    }

    /// The beginning of `text` and an ellipsis.
    package static func end(_ text: String, columns width: Int) -> String {
        guard TextWidth.columns(text) > width else { return text }
        return text.prefix(prefix(text, columns: max(width - 1, 1))) + mark
    }

    /// An ellipsis and the end of `text`: the end of a path is its most useful part.
    package static func start(_ text: String, columns width: Int) -> String {
        guard TextWidth.columns(text) > width else { return text }
        return mark + text.suffix(prefix(text.reversed(), columns: max(width - 1, 1)))
    }
}
