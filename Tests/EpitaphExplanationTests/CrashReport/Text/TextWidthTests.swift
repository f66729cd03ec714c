// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphExplanation

@Suite("The width of text on a terminal")
struct TextWidthTests {
    // Python has the tables of Unicode 14.
    private static let script = """
        import sys, unicodedata
        for value in range(0x20, 0x110000):
            if 0xd800 <= value < 0xe000: continue
            letter = chr(value)
            category = unicodedata.category(letter)
            if category in ("Cc", "Cf", "Cn", "Co", "Zl", "Zp"): continue
            wide = unicodedata.east_asian_width(letter) in "WF"
            mark = category in ("Mn", "Me")
            print("%x %d %d" % (value, 0 if mark else 2 if wide else 1, mark))
        """

    @Test("Every letter of Unicode is as wide as Python's tables say")
    func everyLetter() throws {
        let output = try Subprocess.run(["python3", "-c", Self.script]).standardOutput
        var differing: [String] = []
        var count = 0
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: " ")
            let value = try #require(UInt32(fields[0], radix: 16))
            let scalar = try #require(Unicode.Scalar(value))
            let category = scalar.properties.generalCategory
            let isMark = category == .nonspacingMark || category == .enclosingMark
            // A few letters became marks since; regional indicators come in pairs, as flags.
            guard isMark == (fields[2] == "1"), !(0x1f1e6...0x1f1ff).contains(value) else {
                continue
            }
            count += 1
            if TextWidth.columns(String(scalar)) != Int(fields[1]) {
                differing.append(String(value, radix: 16))
            }
        }
        #expect(count > 140_000)
        #expect(differing == [], "\(differing.count) differ")
    }

    @Test(
        "A character of several scalars is as wide as it is drawn",
        arguments: [("e\u{301}", 1), ("👩‍🚀", 2), ("🇩🇪", 2), ("日本", 4), ("", 0), ("naïve", 5)])
    func characters(text: String, expected: Int) {
        #expect(TextWidth.columns(text) == expected)
    }

    @Test("Shortened text fits, keeps what tells most, and never loses half a character")
    func shortened() {
        let name = "日本語の関数名::parse(e\u{301}tat)"
        for width in 5...40 {
            for text in [
                ShortenedText.middle(name, columns: width),
                ShortenedText.start(name, columns: width), ShortenedText.end(name, columns: width),
            ] {
                #expect(TextWidth.columns(text) <= width, "\(text)")
                #expect(!text.contains("\u{fffd}"))
            }
        }
        #expect(ShortenedText.middle("abcdefghij", columns: 7) == "abc…hij")
        #expect(ShortenedText.start("/a/b/file.c", columns: 7) == "…file.c")
        #expect(ShortenedText.end("abcdef", columns: 4) == "abc…")
        #expect(ShortenedText.middle("fits", columns: 4) == "fits")
    }
}
