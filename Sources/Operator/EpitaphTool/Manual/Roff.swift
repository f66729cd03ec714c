// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum Roff {
    static func text(_ text: String) -> String {
        var result = ""
        for letter in text {
            switch letter {
            case "\\": result += "\\(rs"
            // roff may print a plain hyphen as a typographic one, which no shell understands.
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case "\n": result += " "
            default: result += letter.isASCII ? String(letter) : named(letter)
            }
        }
        // A line that begins with a full stop would be a request.
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    /// `\[u2026]`: other characters by number, independent of the page's encoding.
    private static func named(_ letter: Character) -> String {
        letter.unicodeScalars.map { scalar in
            "\\[u" + String(scalar.value, radix: 16, uppercase: true).zeroPadded(to: 4) + "]"
        }.joined()
    }

    static func bold(_ string: String) -> String { "\\fB\(text(string))\\fR" }
    static func italic(_ string: String) -> String { "\\fI\(text(string))\\fR" }

    static func section(_ title: String) -> String { ".SH \(title)" }

    static func entry(_ name: String, _ meaning: String) -> [String] {
        [".TP", name, text(meaning)]
    }

    static func paragraphs(_ string: String) -> [String] {
        string.split(separator: "\n\n").enumerated().flatMap { index, paragraph in
            (index == 0 ? [] : [".PP"]) + [text(String(paragraph))]
        }
    }

    static func example(_ line: String) -> [String] {
        [".PP", ".nf", ".RS 4", text(line), ".RE", ".fi"]
    }
}
