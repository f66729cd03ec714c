// SPDX-License-Identifier: Apache-2.0

// Makes foreign text safe to print: it could move the cursor, set the title or reorder the line.

extension String {
    /// Replaces everything but visible characters and plain blanks: control, format (including
    /// bidirectional overrides), unassigned and private-use characters, line breaks, and `others`.
    ///
    /// - Parameter replacement: the text for a scalar; `Unicode.Scalar.escaped` by default.
    package func printable(
        replacing others: Set<Unicode.Scalar> = [],
        with replacement: (Unicode.Scalar) -> String = { $0.escaped }
    ) -> String {
        // Most texts need no replacement.
        guard !unicodeScalars.allSatisfy({ $0.isPrintable && !others.contains($0) }) else {
            return self
        }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable, !others.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += replacement(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }

    /// UTF-16 code units as JSON allows: `\u001b` or `\ud83d\ude00`. RFC 8259, section 7.
    package var jsonEscaped: String {
        String(self).utf16.map { "\\u" + String($0, radix: 16).zeroPadded(to: 4) }.joined()
    }

    /// `\n`, `\t`, `\r`, `\"`, `\\` or `\u{…}`.
    package var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case "\"", "\\": "\\\(self)"
        default: "\\u{\(String(value, radix: 16))}"
        }
    }
}

extension String {
    /// The longest prefix of at most `byteCount` bytes of UTF-8, cut between characters.
    package func prefix(byteCount: Int) -> Substring {
        var rest = byteCount
        return prefix { character in
            rest -= character.utf8.count
            return rest >= 0
        }
    }
}

extension StringProtocol {
    /// What is in front of the first `mark`, and what is behind it; nil without one.
    package func halves(at mark: Character) -> (before: SubSequence, after: SubSequence)? {
        firstIndex(of: mark).map { (self[..<$0], self[index(after: $0)...]) }
    }

    package var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
