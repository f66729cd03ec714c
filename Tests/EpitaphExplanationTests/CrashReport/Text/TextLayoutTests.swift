// SPDX-License-Identifier: Apache-2.0

import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation

@Suite("The layout of a text report")
struct TextLayoutTests {
    /// A crash with long names, wide letters and everything a report can have.
    private static func explanation(
        _ breadcrumbs: [Breadcrumb] = breadcrumbs
    ) -> CrashExplanation {
        var snapshot = Sample.crash()
        snapshot.messages = [CrashMessage(source: "swift", text: "Fatal error: 数据库不可用\n")]
        snapshot.annotations = (1...5).map { Annotation(name: "step \($0)", value: "順番 e\u{301}") }
        snapshot.damage = [Damage(stage: .reading, subject: "modules", reason: "cut short")]
        snapshot.breadcrumbs = breadcrumbs
        let long =
            "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>"
            + "::__append_forward_unsafe<char const*>(char const*, char const*)"
        let frames = (0..<30).map { index in
            Sample.frame(
                index, 0x40_1234 + UInt64(index), index == 0 ? "parse_table" : "\(long)_\(index)",
                at: .init(file: "/home/developer/project/源代码/Table.swift", line: index, column: 3))
        }
        return CrashExplanation(
            snapshot, stacks: [nil, ReportStack(frames: frames, whyIncomplete: "of a test"), nil],
            moduleProblems: [0: "/usr/bin/sampled was replaced after the crash: its build id is 1"])
    }

    private static let breadcrumbs: [Breadcrumb] = (1...9 as ClosedRange<UInt64>).map { number in
        let texts = ["", "数据库不可用", String(repeating: "long", count: 64), "two words  apart"]
        return Breadcrumb(
            number: number, timeNanoseconds: 1_000_000_000 << (2 * number),
            level: number % 2 == 0 ? .error : .debug, category: texts[Int((number / 4) % 4)],
            message: texts[Int(number % 4)])
    }

    private func lines(width: Int?, hasColour: Bool = false) -> [String] {
        let form = TextForm(width: width, hasColour: hasColour)
        return TextReport(Self.explanation(), form: form).lines
    }

    @Test("No line takes more columns than a terminal has", arguments: [24, 40, 80, 81, 120, 300])
    func width(columns: Int) {
        for line in lines(width: columns) {
            #expect(TextWidth.columns(line) <= columns, "\(line)")
        }
    }

    @Test("A width no terminal has is harmless", arguments: [-1, 0, 1, 7, 100_000, .max])
    func oddWidth(columns: Int) {
        #expect(lines(width: columns).count > 20)
    }

    @Test("In a file every name is there in full, on one line")
    func plain() {
        let plain = lines(width: nil)
        for frame in Self.explanation().crashingThread?.stack?.frames ?? [] {
            let name = frame.function ?? "?"
            #expect(plain.contains { $0.contains(" \(name) at /home/developer/project/源代码/") })
        }
    }

    @Test("Colours are all that is added", arguments: [nil, 80, 33])
    func colours(width: Int?) {
        let coloured = lines(width: width, hasColour: true)
        #expect(coloured.contains { $0.contains("\u{1b}[") })
        let bare = coloured.map { $0.replacing(#/\u{1b}\[[0-9;]+m/#, with: "") }
        #expect(bare == lines(width: width))
        for line in coloured where line.contains("\u{1b}[") {
            #expect(line.contains("\u{1b}[0m"), "a colour is left on: \(line.debugDescription)")
        }
    }

    @Test("The first screen of 24 lines tells what, why, where, and the last words")
    func firstScreen() throws {
        let explanation = Self.explanation([])
        let form = TextForm(width: 80, hasColour: false)
        let screen = TextReport(explanation, form: form).lines.prefix(23).joined(separator: "\n")
        let headline = try #require(explanation.diagnosis?.headline)
        #expect(screen.hasPrefix("sampled \(headline.prefix(30))"))
        for text in [
            "  Signal      SIGSEGV", "Missing     modules and ",
            "数据库不可用", "  In          parse_table at Table.swift:0:3",
            "#0  parse_table at Table.swift:0", "Annotations:\n  step 1 = 順番",
        ] {
            #expect(screen.contains(text), "\(text) is not in\n\(screen)")
        }
    }

    @Test("What led up to it comes before annotations, a line each on the first screen")
    func breadcrumbsFirst() {
        let all = lines(width: 80)
        let screen = Array(all.prefix(23))
        #expect(screen.contains("Breadcrumbs, the latest first:"))
        // The 24th line is for the prompt.
        #expect(all[23] == "" && all[24] == "Crashing thread 4712 \"worker\":")
        let last = screen.dropLast().last ?? ""
        #expect(last.contains(#/ before +debug +longlong.*…/#), "\(last)")
        #expect((79...80).contains(TextWidth.columns(last)))
        let text = all.joined(separator: "\n")
        #expect(text.contains(#/\n  … 8 more lines of these breadcrumbs; all of it below\n/#))
        #expect(all.count { $0 == "Breadcrumbs, the latest first:" } == 2)
    }

    @Test("What the first screen cuts follows in full")
    func cutParts() {
        let text = lines(width: 80).joined(separator: "\n")
        #expect(text.contains("\nWhere, in short (thread 4712 \"worker\"):\n"))
        #expect(text.contains(#/\n  #1-29  std.*\(29 frames of runtimes\)\n/#))
        #expect(text.contains("\nCrashing thread 4712 \"worker\":\n"))
        #expect(text.contains("#29  std"))
        #expect(text.contains("  step 5 = 順番"))
    }

    @Test("A hundred thousand frames of a recursion are two lines, and the number can be read")
    func recursion() {
        let frames = (0..<104_234).map { Sample.frame($0, 0x40_1234, "descend(_:)") }
        let explanation = CrashExplanation(
            Sample.crash(), stacks: [nil, ReportStack(frames: frames), nil])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(
            text.contains(
                "  #0       descend(_:) in sampled+0x1234\n"
                    + "           … 104,233 frames of descend(_:) repeated\n"))
    }

    @Test("Mutual recursion tells how many frames repeat how often")
    func mutualRecursion() {
        let frames = (0..<2_000).map { index in
            Sample.frame(index, 0x40_1000 + UInt64(index % 2), index % 2 == 0 ? "odd" : "even")
        }
        let explanation = CrashExplanation(
            Sample.crash(), stacks: [nil, ReportStack(frames: frames), nil])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(text.contains(" … 1,998 frames repeated: the 2 above, 999 more times\n"))
    }

    @Test("An awaiting caller and a doubtful frame are marked, in short and in full")
    func marks() {
        var waiting = Sample.frame(1, 0x40_1300, "load()", at: .init(file: "/s/L.swift", line: 3))
        waiting.isAsyncCaller = true
        var doubtful = Sample.frame(2, 0x40_1400, "run()", at: .init(file: "/s/R.swift", line: 4))
        doubtful.foundBy = .stackScan
        let lines = StackText.lines(ReportStack(frames: [waiting, doubtful]))
            .flatMap { $0.rendered(.plain) }
        #expect(
            lines == [
                "  #1  load() at /s/L.swift:3 in sampled+0x1300 (awaits the frame above)",
                "  #2  run() at /s/R.swift:4 in sampled+0x1400 "
                    + "(found by a stack scan: likely, not certain)",
            ])
        let brief = StackText.lines(ReportStack(frames: [waiting, doubtful]), .brief)
            .flatMap { $0.rendered(.plain) }
        #expect(
            brief == ["  #1  load() at L.swift:3 (awaits)", "  #2  run() at R.swift:4 (?)"])
    }

    @Test("The code around the fault has an arrow at the instruction")
    func code() {
        let section = DetailText.code(
            [
                .init(address: 0x1000, bytes: [0x90], text: "nop", isAtFault: false),
                .init(
                    address: 0x1001, bytes: [0x89, 0x10], text: "mov [rax], edx", isAtFault: true),
            ])
        #expect(
            section.rendered(.plain) == [
                "Code around the fault:",
                "     0x0000000000001000  90     nop",
                "  => 0x0000000000001001  89 10  mov [rax], edx",
            ])
    }
}
