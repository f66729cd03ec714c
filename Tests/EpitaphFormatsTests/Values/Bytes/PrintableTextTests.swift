// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite struct PrintableTextTests {
    @Test(
        "What could steer a terminal is written out, everything else stays",
        arguments: [
            ("", ""), ("plain text", "plain text"), ("größer 漢字 🦆", "größer 漢字 🦆"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\u{202e}abc", "\\u{202e}abc"),
            ("\u{e000}\u{2028}\u{7f}", "\\u{e000}\\u{2028}\\u{7f}"),
            ("\"\\", "\"\\"),
        ])
    func escapes(text: String, expected: String) {
        #expect(text.printable() == expected)
    }

    @Test("More may be replaced, and by something else")
    func choices() {
        #expect("a\"\\b".printable(replacing: ["\"", "\\"]) == "a\\\"\\\\b")
        #expect("a\nb".printable { _ in " " } == "a b")
    }
}
