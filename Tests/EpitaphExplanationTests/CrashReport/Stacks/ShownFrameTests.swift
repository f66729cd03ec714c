// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// The contents of a frame's lines: its names, what is left out before it, lines of its source.
@Suite struct ShownFrameTests {
    private let whole = "sampled.Session.(answer in _0123)(sampled.Question) -> Swift.String"

    private func stack() -> ReportStack {
        var answer = Sample.frame(
            0, 0x40_1234, whole, at: .init(file: "/src/Session.swift", line: 42, column: 9))
        answer.shortFunction = "Session.answer(_:)"
        var outer = Sample.frame(1, 0x40_2000, "serve")
        outer.omission = .stackBytes(7_340_032)
        var main = Sample.frame(2, 0x40_3000, "main")
        main.omission = .tailCall
        return ReportStack(frames: [answer, outer, main])
    }

    @Test("The way back from a signal handler does not have the name of the function before it")
    func wayBack() {
        for (offset, name) in [(0, "__restore_rt"), (0x2c, nil)] as [(UInt64, String?)] {
            var call = SourceFrame(function: "__restore_rt", namedBy: .symbolTable)
            call.functionOffset = offset
            let frame = StackFrame(
                instructionPointer: 0x7_7618, stackPointer: 0, lookupAddress: 0x7_7618,
                moduleIndex: nil, foundBy: .unwindTable, isSignalFrame: true)
            #expect(ReportFrame(index: 2, frame, call, at: nil).function == name)
        }
    }

    private func explained(_ stack: ReportStack) -> CrashExplanation {
        CrashExplanation(Sample.crash(), stacks: [], crashStack: stack)
    }

    @Test("Stacks show the short name, and the whole one when asked to")
    func names() {
        let explanation = explained(stack())
        let short = TextReport(explanation).lines
        #expect(
            short.contains(
                "  #0  Session.answer(_:) at /src/Session.swift:42:9 in sampled+0x1234"))
        #expect(!short.contains { $0.contains("#0") && $0.contains("_0123") })
        let full = TextReport(
            explanation, form: .init(width: nil, hasColour: false, names: .full)
        ).lines
        #expect(full.contains { $0.hasPrefix("  #0  \(whole) at /src/Session.swift:42:9") })
    }

    @Test("A page shows the short name with the whole one as its title")
    func namesOnPage() {
        let explanation = explained(stack())
        let title =
            "<code title=\"sampled.Session.(answer in _0123)(sampled.Question) -&gt; "
            + "Swift.String\">Session.answer(_:)</code>"
        #expect(HTMLReport(explanation).text.contains(title))
        #expect(
            HTMLReport(explanation, names: .full).text
                .contains("<code>sampled.Session.(answer in _0123)(sampled.Question)"))
    }

    @Test("Where Epitaph's own frames are shown they step back, the program's do not")
    func ownFrames() {
        let stack = ReportStack(frames: [
            Sample.frame(0, 0x40_1234, "serve"), Sample.frame(1, 0x40_2000, "epitaph_begin"),
        ])
        let short = TextReport(explained(stack), form: .init(width: nil, hasColour: false)).lines
        #expect(short.contains { $0.contains("… 1 frame of Epitaph") })
        #expect(!short.contains { $0.contains("epitaph_begin") })
        let lines = TextReport(
            explained(stack), form: .init(width: nil, hasColour: true, names: .full)
        ).lines
        let faint = "\u{1b}[2m"
        #expect(lines.contains { $0.contains("#1") && $0.contains("\(faint)epitaph_begin") })
        #expect(lines.contains { $0.contains("#0") && $0.contains("serve") })
        #expect(!lines.contains { $0.contains("\(faint)serve") })
        // What is installed with the system steps back anyway.
        var snapshot = Sample.crash()
        snapshot.modules[0].path = "/srv/sampled"
        let explanation = CrashExplanation(snapshot, stacks: [], crashStack: stack)
        let page = HTMLReport(explanation, names: .full).text
        func hasFrame(_ classes: String, _ function: String) -> Bool {
            page.ranges(of: "<li class=\"\(classes)\">").contains {
                page[$0.upperBound...].prefix(120).contains(">\(function)")
            }
        }
        #expect(hasFrame("frame system", "epitaph_begin") && !hasFrame("frame", "epitaph_begin"))
        #expect(hasFrame("frame", "serve") && !hasFrame("frame system", "serve"))
    }

    @Test("JSON has both names, and what is left out before a frame")
    func json() throws {
        let text = JSONReport(explained(stack()), isPretty: false).text
        #expect(text.contains("\"function\":\"sampled.Session.(answer in _0123)"))
        #expect(text.contains("\"shortFunction\":\"Session.answer(_:)\""))
        #expect(
            text.contains("\"omission\":{\"kind\":\"stack-bytes\",\"size\":7340032}"))
        #expect(text.contains("\"omission\":{\"kind\":\"tail-call\"}"))
    }

    @Test("What is left out stands before the frame it led to, in text and on a page")
    func omissions() throws {
        let lines = TextReport(explained(stack())).lines
        let gap = try #require(
            lines.firstIndex {
                $0
                    == "      … 7,340,032 bytes of the stack are not in the dump, and the frames in them"
            })
        #expect(lines[gap + 1].hasPrefix("  #1  serve "))
        #expect(lines[gap + 2] == "      … a function left by a tail call and has no frame")
        #expect(lines[gap + 3].hasPrefix("  #2  main "))
        #expect(
            HTMLReport(explained(stack())).text.contains(
                "<li class=\"gap\">… 7,340,032 bytes of the stack are not in the dump"))
    }

    @Test("Nothing stands twice in a pipe, however long it is")
    func once() {
        let frames = (0..<60).map { Sample.frame($0, 0x40_1000 + UInt64($0), "step\($0)") }
        let lines = TextReport(explained(ReportStack(frames: frames))).lines
        #expect(lines.count { $0.contains("  step31 ") } == 1)
        #expect(!lines.contains { $0.contains("all of it below") })
        let screen = TextReport(
            explained(ReportStack(frames: frames)), form: .init(width: 80, hasColour: false)
        ).lines
        #expect(screen.contains { $0.contains("all of it below") })
    }

    /// Has every line of every file.
    private struct Lines: SourceText {
        func excerpt(of file: String, line: Int, in module: ModuleSnapshot) -> SourceExcerpt? {
            SourceExcerpt(
                firstLine: line - 1,
                lines: ["func answer() {", "    let x = a[<9>]", "}"], line: line)
        }
    }

    @Test("Three lines of the source stand below a frame of the program's own code")
    func excerpt() throws {
        var stack = stack()
        stack.frames[1] = Sample.frame(
            1, 0x7f00_0000_2010, "poll", at: .init(file: "/p.c", line: 7))
        let shown = stack.withExcerpts(from: Lines(), Sample.modules, problems: [:])
        #expect(shown.frames.map { $0.excerpt != nil } == [true, false, false])
        let lines = TextReport(explained(shown)).lines
        let first = try #require(lines.firstIndex { $0.hasPrefix("  #0  Session.answer") })
        #expect(
            lines[(first + 1)...(first + 3)] == [
                "         41 │ func answer() {", "      => 42 │     let x = a[<9>]",
                "         43 │ }",
            ])
        let page = HTMLReport(explained(shown)).text
        #expect(page.contains("<span class=\"line here\">42 │     let x = a[&lt;9&gt;]</span>"))
        // A module whose file is another one proves nothing about lines.
        let other = stack.withExcerpts(from: Lines(), Sample.modules, problems: [0: "replaced"])
        #expect(other.frames.allSatisfy { $0.excerpt == nil })
    }
}
