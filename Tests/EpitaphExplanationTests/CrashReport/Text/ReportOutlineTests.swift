// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

@Suite("What every form of a report says")
struct ReportOutlineTests {
    @Test("The same facts stand in the text and on the page")
    func sameFacts() {
        let explanation = CrashExplanation(Sample.everything(), stacks: [])
        let outline = ReportOutline(explanation: explanation)
        let text = TextReport(explanation).lines.joined(separator: "\n")
        let page = HTMLReport(explanation).text
        let rows =
            outline.signalFacts + outline.identifiers
            + [outline.program, outline.process, outline.system, outline.blanked]
            .compactMap(\.self)
        #expect(rows.count > 7)
        for row in rows {
            let label = row.label.padded(to: 10)
            #expect(text.contains("\n  \(label)  \(row.value)"), "\(row)")
            let value = row.isCode ? "<code>\(row.value)</code>" : row.value
            #expect(page.contains("<dt>\(row.label)</dt><dd>\(value)</dd>"), "\(row)")
        }
    }

    @Test("A denied system call has one name in all reports, and its row widens the column")
    func systemCall() {
        var snapshot = Sample.crash()
        var info = [UInt8](repeating: 0, count: 32)
        info[24] = 41
        snapshot.exception = ExceptionSnapshot(signal: 31, code: 1, address: 0x40_1234)
        snapshot.exception?.threadID = 4712
        snapshot.exception?.signalInfo = ByteSlice(info)
        let explanation = CrashExplanation(snapshot, stacks: [])
        let outline = ReportOutline(explanation: explanation)
        #expect(outline.signalFacts.contains(.init("System call", "41")))
        let lines = TextReport(explanation).lines
        #expect(lines.contains("  System call  41"))
        #expect(lines.contains("  Program      /usr/bin/sampled"))
        #expect(HTMLReport(explanation).text.contains("<dt>System call</dt><dd>41</dd>"))
    }

    @Test("Threads that wait at the same place are told once, wherever their stacks lie")
    func alikeThreads() {
        let snapshot = Sample.crash()
        let explanation = CrashExplanation(
            snapshot, stacks: [waiting(stackPointer: 0x1000), nil, waiting(stackPointer: 0x2000)])
        let groups = ThreadGroup.groups(of: explanation.otherThreads)
        #expect(groups.map(\.identities) == [["4711 \"sampled\"", "4713"]])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(text.contains("\n2 threads alike: 4711 \"sampled\", 4713:\n  #0  wait()"))
        #expect(HTMLReport(explanation).text.contains("<b>2 threads alike</b>"))
    }

    @Test(
        "Threads are told apart by what a reader sees of them, not by addresses alone",
        arguments: Difference.allCases)
    func unlikeThreads(difference: Difference) {
        var snapshot = Sample.crash()
        var other = waiting(stackPointer: 0x2000)
        switch difference {
        case .condition: snapshot.threads[2].completeness = .partial
        case .name: other.frames[0].function = "wait(for:)"
        case .doubt: other.frames[1].foundBy = .stackScan
        case .end: other.whyIncomplete = "nothing tells who called this frame"
        }
        let explanation = CrashExplanation(
            snapshot, stacks: [waiting(stackPointer: 0x1000), nil, other])
        #expect(ThreadGroup.groups(of: explanation.otherThreads).count == 2)
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(text.contains("\nThread 4711") && text.contains("\nThread 4713"))
        #expect(!HTMLReport(explanation).text.contains("threads alike"))
    }

    enum Difference: CaseIterable {
        case condition, name, doubt, end
    }

    @Test("Damage says during which work it arose, and what nobody can know is not put to any")
    func damage() {
        var snapshot = Sample.crash()
        snapshot.damage = [
            Damage(stage: .capture, subject: "modules", reason: "no answer"),
            Damage(stage: .reading, subject: "offset 0x10", reason: "the dump ends here"),
            Damage(stage: .writing, subject: "maps", reason: "too large"),
        ]
        let explanation = CrashExplanation(snapshot, stacks: [])
        let labels = ReportOutline(explanation: explanation).damage.map(\.label)
        #expect(
            labels.prefix(3) == [
                "capturing the process", "reading the dump", "writing the minidump",
            ])
        #expect(labels.last == "not known")
        let text = TextReport(explanation).lines
        #expect(text.contains("  capturing the process: modules: no answer"))
        let page = HTMLReport(explanation).text
        #expect(page.contains(">capturing the process</th><td>modules: no answer</td>"))
        #expect(page.contains(">not known</th><td>nothing in the dump tells how many threads"))
    }

    @Test("What is said of many threads is said once, and of a few for each")
    func damageOfManyThreads() {
        let why = "the thread blocks the signal that stops threads"
        for (count, rows) in [
            (3, ["thread 1: \(why)", "thread 2: \(why)", "thread 3: \(why)"]),
            (51, ["51 threads: \(why)"]),
        ] {
            var snapshot = Sample.crash()
            snapshot.damage = [Damage(stage: .capture, subject: "modules", reason: "no answer")]
            snapshot.damage += (1...count).map {
                Damage(stage: .capture, subject: "thread \($0)", reason: why)
            }
            let outline = ReportOutline(explanation: CrashExplanation(snapshot, stacks: []))
            let values = outline.damage.filter { $0.label == "capturing the process" }
            #expect(values.map(\.value) == ["modules: no answer"] + rows)
        }
    }

    @Test("A start outside of the calendar gives no age")
    func impossibleStart() throws {
        var snapshot = Sample.crash()
        let age = try #require(ReportOutline(explanation: .init(snapshot, stacks: [])).moment).age
        #expect(age == "10 min 2 s after its start")
        snapshot.process.startTime = Timestamp(secondsSince1970: -1e14)
        let outline = ReportOutline(explanation: CrashExplanation(snapshot, stacks: []))
        #expect(try #require(outline.moment).age == nil)
        let text = Sample.text(snapshot)
        #expect(text.contains("\n  Crashed     2026-08-22 03:14:07 UTC\n"))
    }

    @Test("A frame is described in the same words on the page and in the text")
    func frames() {
        var frame = Sample.frame(1, 0x40_1300, "load()", at: .init(file: "/s/L.swift", line: 3))
        frame.isAsyncCaller = true
        frame.isNameKept = true
        frame.foundBy = .stackGuess
        let words = FrameOutline(frame, .short).remarks.map(\.words)
        #expect(
            words == [
                "awaits the frame above", "named when filed",
                "found by a stack scan: possible, no more",
            ])
        let text = FrameText(frame, numberWidth: 2, names: .short).line.rendered(.plain)
        let page = FrameMarkup.markup(frame, Sample.modules, .short).source
        for words in words {
            #expect(text[0].contains("(\(words))"))
            #expect(page.contains(">\(words)</span>"))
        }
    }

    @Test("Functions that call each other are counted once, in the same words everywhere")
    func mutualRecursion() {
        let frames = (0..<200).map { index in
            Sample.frame(index, 0x40_1000 + UInt64(index % 2), index % 2 == 0 ? "odd" : "even")
        }
        let stack = ReportStack(frames: frames)
        let explanation = CrashExplanation(Sample.crash(), stacks: [nil, stack, nil])
        let words = "… 198 frames repeated: the 2 above, 99 more times"
        #expect(TextReport(explanation).lines.contains { $0.hasSuffix(words) })
        #expect(HTMLReport(explanation).text.contains("<li class=\"gap\">\(words)</li>"))
    }

    @Test("The registers at the last signal are there as well, and which is which is said")
    func moments() {
        let outline = ReportOutline(explanation: CrashExplanation(Sample.crash(), stacks: []))
        #expect(outline.registers.map(\.moment) == ["fault"])
        var empty = Sample.crash()
        empty.exception = nil
        let alive = ReportOutline(explanation: CrashExplanation(empty, stacks: []))
        #expect(alive.registers.isEmpty)
        #expect(alive.wordsWithoutCrash != nil)
        #expect(alive.wordsWithoutMainThread == nil)
    }

    private func waiting(stackPointer: UInt64) -> ReportStack {
        var frames = [
            Sample.frame(0, 0x7f00_0000_2010, "wait()"), Sample.frame(1, 0x40_2000, "work()"),
        ]
        frames[0].stackPointer = stackPointer
        frames[1].stackPointer = stackPointer + 64
        return ReportStack(frames: frames)
    }
}
