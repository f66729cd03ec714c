// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct RegularExpressionTests {
    /// Foundation's say what is right.
    @Test(
        "Expressions find what Foundation's find",
        arguments: [
            "a", "a*", "^a+$", "(ab|cd)*e", "a{2,3}b", "a{0}b", "(a|b){2}$", "[a-c]+d",
            "[^a-c]", #"\d+\.\d"#, #"^\w+\s\S"#, "(?i)aB", "a.c", "a|", "(a*)*b", "(?:ab)+?c",
            "[]a]", "[a-]", "x{2,}", "^$", #"\(\[\\"#, "(^a|b$)",
        ])
    func found(_ pattern: String) throws {
        let own = try RegularExpression(pattern)
        let other = try NSRegularExpression(pattern: pattern)
        var random = SplitMix(state: 7)
        let letters = Array("aabbcde AB1.9([\\-]x\n")
        for _ in 0..<400 {
            let length = Int.random(in: 0...9, using: &random)
            let text = String((0..<length).map { _ in letters.randomElement(using: &random)! })
            let range = NSRange(text.startIndex..., in: text)
            // Its $ and ^ are those of the whole text, but $ may stand before a last newline.
            guard !text.hasSuffix("\n") else { continue }
            let expected = other.firstMatch(in: text, range: range) != nil
            #expect(own.matches(text) == expected, "\(pattern) in \(text.debugDescription)")
        }
    }

    @Test(
        "What is no expression is refused in words",
        arguments: [
            "(", ")", "[a", "*a", "a**", #"\q"#, "a\\", "a{3,2}", "a{9999}", "(?=a)", "[b-a]",
            #"(a)\1"#, "((a{100}){100}){100}", "((){1000}){1000}",
        ])
    func refused(_ pattern: String) {
        let error = #expect(throws: SettingError.self) { try RegularExpression(pattern) }
        #expect(error?.reason.contains("is not a regular expression: ") == true)
    }

    @Test("One that would try all ways takes no longer than any other")
    func catastrophe() throws {
        let nested = try RegularExpression("((a+)+)+b$")
        let optional = try RegularExpression(
            String(repeating: "a?", count: 60) + String(repeating: "a", count: 60) + "b")
        let text = String(repeating: "a", count: 512)
        // All ways are more than there are atoms: it would not end.
        #expect(!nested.matches(text) && !optional.matches(text))
    }
}
