// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import Testing

@Suite("Rules for keys")
struct KeyRulesTests {
    @Test(
        "A pattern matches whole keys, with * for any letters and without regard to case",
        arguments: [
            ("password", "password", true), ("password", "Password", true),
            ("password", "password2", false), ("password", "passwor", false),
            ("*", "", true), ("*", "anything", true), ("", "", true), ("", "a", false),
            ("*token*", "login_token_2", true), ("*token*", "tokn", false),
            ("db_*_pass", "db_main_pass", true), ("db_*_pass", "db_pass", false),
            ("a*b*c", "aXbXbXc", true), ("a*b*c", "aXcXb", false), ("**x", "yyx", true),
            ("größe*", "GRÖSSE", false), ("größe*", "GRÖßE 1", true), ("a?c", "abc", false),
        ])
    func patterns(pattern: String, key: String, expected: Bool) {
        #expect(KeyPattern(pattern).matches(key) == expected)
    }

    @Test("A pattern of many stars is matched in bounded time")
    func manyStars() {
        let pattern = KeyPattern(String(repeating: "*a", count: 200) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 5_000)))
    }

    @Test("Deny wins over allow; without an allow-list all else stays, with one nothing else does")
    func rules() {
        let none = KeyRules()
        #expect(none.keepsAll)
        #expect(none.keeps("anything"))
        let denied = KeyRules(denied: [KeyPattern("*secret*")])
        #expect(denied.keeps("prod"))
        #expect(!denied.keeps("my_secret"))
        let both = KeyRules(
            allowed: [KeyPattern("prod"), KeyPattern("x_*")], denied: [KeyPattern("x_key")])
        #expect(both.keeps("prod"))
        #expect(both.keeps("x_1"))
        #expect(!both.keeps("x_key"))
        #expect(!both.keeps("ver"))
        let nothing = KeyRules(allowed: [])
        #expect(!nothing.keepsAll)
        #expect(!nothing.keeps("prod"))
    }

    @Test("Form values go by the form's own rules, and their home directories are hidden")
    func form() {
        var rules = ScrubbingRules()
        rules.form = KeyRules(denied: [KeyPattern("*mail*")])
        rules.hidesHomeDirectories = true
        let (values, removed) = rules.scrubbed(
            form: ["prod": "greeter", "e-mail": "a@b", "EMAIL": "c@d", "log": "/home/bo/log"])
        #expect(values == ["prod": "greeter", "log": "~/log"])
        #expect(removed == ["EMAIL", "e-mail"])
    }
}
