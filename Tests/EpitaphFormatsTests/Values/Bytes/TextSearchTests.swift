// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@Suite("Search in text, byte for byte")
struct TextSearchTests {
    @Test("A part is where Foundation's literal search finds it")
    func places() {
        let texts = ["", "a", "aab", "abababc", "a::b::c", "größer als Größe", "…s3://x…"]
        let parts = ["a", "ab", "abc", "::", "://", "öß", "Größe", "x…", "aaaa", "ä"]
        for text in texts {
            for part in parts {
                let expected = text.range(of: part, options: .literal)
                #expect(text.firstPlace(of: part) == expected, "\(part) in \(text)")
                #expect(text.has(part) == (expected != nil))
                let rest = text.dropFirst()
                #expect(rest.firstPlace(of: part) == rest.range(of: part, options: .literal))
                #expect(
                    text.replacingEach(part, with: "#\(part)")
                        == text.replacingOccurrences(of: part, with: "#\(part)", options: .literal))
            }
        }
    }

    @Test("A part of a character is found")
    func insideCharacters() {
        #expect("e\u{301}t\u{e9}".firstPlace(of: "e") != nil)
        #expect("a\r\nb".replacingEach("\n", with: "\\n") == "a\r\\nb")
        #expect(!"e\u{301}".has("\u{e9}"))
    }
}
