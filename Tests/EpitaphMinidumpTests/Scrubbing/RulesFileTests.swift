// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphValues
import Testing

@Suite("Rules as text")
struct RulesFileTests {
    private func rules(_ json: String) throws -> ScrubbingRules {
        try ScrubbingRules(json: ByteSlice(Array(json.utf8)), path: "/etc/rules.json")
    }

    @Test("A rules file says all that the options can, and means the same")
    func same() throws {
        let file = try rules(
            """
            {
              "annotations": {"allow": ["prod", "x_*"], "deny": ["x_key"]},
              "form": {"allow": ["guid"], "deny": ["mail"]},
              "memory": "crashing-stack",
              "stacks": "sanitize",
              "remove": ["environ", "cmdline"],
              "home-directories": "hide",
              "unknown": "keep"
            }
            """)
        var options = ScrubbingRules()
        for (option, value) in [
            (.allowAnnotation, "prod"), (.allowAnnotation, "x_*"), (.denyAnnotation, "x_key"),
            (.allowFormKey, "guid"), (.denyFormKey, "mail"), (.memory, "crashing-stack"),
            (.stacks, ""), (.part, "environ"), (.part, "cmdline"), (.homeDirectories, ""),
            (.keepUnknown, ""),
        ] as [(ScrubbingOption, String)] {
            try options.apply(option, value: value)
        }
        #expect(file == options)
        #expect(!file.keepsMinidump)
    }

    @Test("What a file does not mention is kept")
    func empty() throws {
        #expect(try rules("{}") == ScrubbingRules())
        #expect(try rules("{}").keepsMinidump)
        #expect(try rules(#"{"form": {"deny": ["x"]}}"#).keepsMinidump)
    }

    @Test(
        "A mistake is told with the file, the key and what to do",
        arguments: [
            ("", "/etc/rules.json: it is not JSON; check its commas"),
            ("{\"memory\": }", "/etc/rules.json: it is not JSON"),
            ("{\"memory\": \"none\",}", "/etc/rules.json: it is not JSON; check its commas"),
            ("[]", "/etc/rules.json: it must be an object"),
            (
                "{\"memroy\": \"none\"}",
                "/etc/rules.json: \"memroy\" is not known; choose annotations, form, "
                    + "home-directories, memory, remove, stacks or unknown"
            ),
            ("{\"memory\": 7}", "/etc/rules.json: \"memory\": it must be a text: write one of all"),
            (
                "{\"memory\": \"some\"}",
                "/etc/rules.json: \"memory\": \"some\" is not known; choose all, stacks, "
                    + "crashing-stack or none"
            ),
            ("{\"stacks\": true}", "\"stacks\": it must be a text: write \"sanitize\" or \"keep\""),
            ("{\"stacks\": \"yes\"}", "\"yes\" is not known; choose sanitize or keep"),
            ("{\"remove\": \"maps\"}", "\"remove\": it must be a list of texts"),
            ("{\"remove\": [1]}", "\"remove\": it must be a list of texts"),
            (
                "{\"remove\": [\"map\"]}",
                "\"remove\": \"map\" is not known; choose auxv, breadcrumbs"
            ),
            ("{\"annotations\": [\"a\"]}", "\"annotations\": it must be an object"),
            ("{\"form\": {\"deny\": \"a\"}}", "\"form.deny\": it must be a list of texts"),
            ("{\"form\": {\"drop\": []}}", "\"form\": \"drop\" is not known; choose allow or deny"),
            ("{\"annotations\": {\"deny\": [\"\"]}}", "\"annotations.deny\": a key is empty"),
        ])
    func mistakes(json: String, expected: String) {
        let error = #expect(throws: SettingError.self) { try rules(json) }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("A file too long for rules, and one nested without end, are refused")
    func hostile() {
        #expect(throws: SettingError.self) {
            try ScrubbingRules(
                json: ByteSlice([UInt8](repeating: 0x20, count: 1 << 21)), path: "x")
        }
        #expect(throws: SettingError.self) { try rules(String(repeating: "[", count: 100_000)) }
    }

    @Test("Options that make no sense are refused with the option's name")
    func options() {
        var rules = ScrubbingRules()
        let memory = #expect(throws: SettingError.self) { try rules.apply(.memory, value: "stack") }
        #expect(
            memory?.description == "--scrub-memory: \"stack\" is not known; choose all, stacks, "
                + "crashing-stack or none")
        let key = #expect(throws: SettingError.self) { try rules.apply(.denyAnnotation, value: "") }
        #expect(key?.description.hasPrefix("--scrub-deny: a key is empty") == true)
        #expect(throws: SettingError.self) { try rules.apply(.part, value: "everything") }
        #expect(rules == ScrubbingRules())
    }

    @Test("Each option tells what it does in one line")
    func help() {
        for option in ScrubbingOption.allCases {
            #expect(!option.abstract.hasSuffix("."))
            #expect(option.rawValue.hasPrefix("--scrub-"))
        }
        #expect(ScrubbingOption.part.abstract.contains("thread-names"))
    }
}
