// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Makes text from a dump safe to print.
///
/// Thread names, paths, annotations and messages are chosen by the crashed process or by whoever
/// wrote the file. Printed unchanged, they could move the cursor, rewrite the terminal's title or
/// reorder the line. So everything that is not a visible character or a plain blank is printed as
/// an escape.
package enum TerminalText {
    /// One line: control, format (bidirectional overrides among them), unassigned and private-use
    /// characters and line breaks become `\n`, `\t` or `\u{…}`.
    package static func line(_ text: String) -> String {
        text.printable()
    }

    /// The lines of a text that may have several, each safe by itself. A line break at the end does
    /// not begin another line.
    package static func lines(_ text: String) -> [String] {
        var scalars = text.unicodeScalars[...]
        if scalars.last == "\n" { scalars = scalars.dropLast() }
        return scalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(String($0)) }
    }

    /// How many columns of a terminal a printable text takes.
    package static func columns(_ text: String) -> Int {
        TextWidth.columns(text)
    }

    /// The text, safe to print, ending in an ellipsis if it takes more than `columns`.
    package static func line(_ text: String, columns: Int) -> String {
        ShortenedText.end(line(text), columns: columns)
    }
}
