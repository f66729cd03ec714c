// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Foundation
import Testing

@Suite("Text out of a dump on a terminal")
struct TerminalTextTests {
    @Test(
        "Characters that act on a terminal are written out",
        arguments: [
            ("\u{1b}]0;owned\u{7}", "\\u{1b}]0;owned\\u{7}"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{9b}2J", "\\u{9b}2J"), ("\u{7f}", "\\u{7f}"), ("\u{0}", "\\u{0}"),
            ("abc\u{202e}fdp.exe", "abc\\u{202e}fdp.exe"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("\u{200f}", "\\u{200f}"), ("\u{2028}", "\\u{2028}"), ("\u{feff}", "\\u{feff}"),
            ("\u{e0041}", "\\u{e0041}"), ("\r\n", "\\r\\n"), ("\u{85}", "\\u{85}"),
        ])
    func controls(text: String, expected: String) {
        #expect(TerminalText.line(text) == expected)
    }

    @Test(
        "Text in any script stays as it is",
        arguments: ["worker-1", "Grüße", "日本語", "naïve e\u{301}", "a b", "C:\\x", "🙂"])
    func plain(text: String) {
        #expect(TerminalText.line(text) == text)
    }

    @Test("No control or format character of any string in a snapshot reaches the text")
    func everyString() {
        let evil = "\u{1b}[2J\u{202e}\u{7}\r\u{9b}x"
        var snapshot = Sample.crash()
        snapshot.modules[0].path = "/bin/\(evil)"
        snapshot.modules[1].path = evil
        for index in snapshot.threads.indices {
            snapshot.threads[index].name = evil
            snapshot.threads[index].completeness = .partial
            snapshot.threads[index].whyIncomplete = evil
            snapshot.threads[index].runState = "\u{1b}"
        }
        snapshot.annotations = [Annotation(name: evil, value: "\(evil)\n\(evil)")]
        snapshot.messages = [CrashMessage(source: evil, text: "\(evil)\n\(evil)")]
        snapshot.damage = [Damage(stage: .reading, subject: evil, reason: evil)]
        snapshot.environment = [evil]
        snapshot.launch?.bundleID = evil
        snapshot.system.kernelName = evil
        snapshot.system.kernelRelease = evil
        var frame = Sample.frame(0, 0x40_1234, evil, at: .init(file: evil, line: 1))
        frame.place?.moduleName = evil
        let stack = ReportStack(frames: [frame], whyIncomplete: evil)
        let explanation = CrashExplanation(
            snapshot, stacks: [stack, stack, stack], moduleProblems: [0: evil])

        for line in TextReport(explanation).lines {
            for scalar in line.unicodeScalars {
                let category = scalar.properties.generalCategory
                #expect(category != .control && category != .format, "\(line.debugDescription)")
            }
        }
    }

    @Test("An annotation of several lines cannot pass for another section")
    func forgedSection() {
        var snapshot = Sample.crash()
        snapshot.annotations = [Annotation(name: "log", value: "one\nDamage: none")]
        let text = Sample.text(snapshot)
        #expect(text.contains("\nAnnotations:\n  log =\n    one\n    Damage: none\n"))
    }
}
