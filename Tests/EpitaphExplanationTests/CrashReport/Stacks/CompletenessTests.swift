// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// A report is called complete only if that is proved, and what contradicts it is named.
@Suite struct CompletenessTests {
    /// Three threads, all found, with whole stacks.
    private func whole() -> ProcessSnapshot {
        var snapshot = Sample.crash()
        snapshot.files.status = ByteSlice(Array("Name:\tsampled\nThreads:\t3\n".utf8))
        return snapshot
    }

    private func stack(_ change: (inout ReportStack) -> Void = { _ in }) -> ReportStack {
        var outer = Sample.frame(1, 0x7f00_0000_2010, "poll")
        outer.foundBy = .unwindTable
        var main = Sample.frame(2, 0x40_2000, "main")
        main.foundBy = .unwindTable
        var stack = ReportStack(frames: [Sample.frame(0, 0x40_1234, "serve(_:)"), outer, main])
        change(&stack)
        return stack
    }

    private func explained(
        _ snapshot: ProcessSnapshot, _ crashStack: ReportStack, problems: [Int: String] = [:]
    ) -> CrashExplanation {
        CrashExplanation(
            snapshot, stacks: [stack(), nil, stack()], crashStack: crashStack,
            moduleProblems: problems)
    }

    private func text(_ explanation: CrashExplanation) -> String {
        TextReport(explanation).lines.joined(separator: "\n")
    }

    private func json(_ explanation: CrashExplanation) throws -> [String: Any] {
        try #require(
            JSONSerialization.jsonObject(with: Data(JSONReport(explanation).text.utf8))
                as? [String: Any])
    }

    @Test("A report is complete when every thread is there with a whole stack")
    func complete() throws {
        let explanation = explained(whole(), stack())
        #expect(explanation.completeness.isComplete)
        #expect(text(explanation).contains("\nDamage: none, the report is complete\n"))
        #expect(try json(explanation)["isComplete"] as? Bool == true)
        #expect(HTMLReport(explanation).text.contains("<p>None, the report is complete.</p>"))
    }

    static let faults: [(change: @Sendable (inout ReportStack) -> Void, words: String)] = [
        (
            { $0.frames[1].foundBy = .stackScan },
            "thread 4712: 1 frame found by a stack scan: likely, not certain"
        ),
        (
            { $0.frames[1].foundBy = .stackGuess },
            "thread 4712: 1 frame found by a stack scan: possible, no more"
        ),
        (
            { $0.frames[2].foundBy = .framePointer },
            "thread 4712: 1 frame found by frame pointers where unwind tables are missing: "
                + "likely, not certain"
        ),
        (
            { $0.frames[2].omission = .stackBytes(7_340_032) },
            "thread 4712: 7,340,032 bytes of its stack are not in the dump"
        ),
        (
            { $0.whyIncomplete = "nothing tells who called this frame" },
            "thread 4712: the stack ends early: nothing tells who called this frame"
        ),
        (
            { $0.whyAsyncCallersIncomplete = "there are more than 256" },
            "thread 4712: not all awaiting functions are known: there are more than 256"
        ),
    ]

    @Test("A stack that is not whole to its outermost frame is named", arguments: 0..<6)
    func doubtfulStack(index: Int) throws {
        let fault = Self.faults[index]
        let explanation = explained(whole(), stack(fault.change))
        #expect(explanation.completeness.failures.contains(fault.words))
        let text = text(explanation)
        #expect(!text.contains("the report is complete"))
        #expect(text.contains("\n  reading the stacks: \(fault.words)\n"))
        #expect(text.contains("\n  Doubtful    thread 4712"))
        let report = try json(explanation)
        #expect(report["isComplete"] as? Bool == false)
        #expect((report["doubts"] as? [String])?.contains(fault.words) == true)
        let page = HTMLReport(explanation).text
        #expect(page.contains("<td>\(fault.words)</td>"))
        #expect(page.contains("This report is not complete: "))
    }

    @Test("The module whose unwind information was not at hand is named with the reason")
    func replacedModule() {
        let doubtful = stack { $0.frames[2].foundBy = .stackScan }
        let failures = explained(
            whole(), doubtful, problems: [1: "/lib/libc.so.6 was replaced after the crash"]
        ).completeness.failures
        #expect(
            failures.contains(
                "libc.so.6: its unwind information did not lead on (/lib/libc.so.6 was replaced "
                    + "after the crash)"))
    }

    @Test("Bytes of a stack that the capture left out, and says so, are told of once")
    func toldOnce() {
        var snapshot = whole()
        snapshot.damage = [
            Damage(
                stage: .capture, subject: "stack of thread 4712",
                reason: "it was longer than its limit, 7340032 bytes were left out")
        ]
        let cut = stack { $0.frames[2].omission = .stackBytes(7_340_032) }
        let completeness = explained(snapshot, cut).completeness
        #expect(completeness.failures == snapshot.damage.map(\.sentence))
        #expect(!completeness.isComplete)
        // A mark on another thread says nothing about this one.
        snapshot.damage[0].subject = "stack of thread 47"
        #expect(explained(snapshot, cut).completeness.failures.count == 2)
    }

    @Test("A frame pointer is proof only of a frame whose call names the inner function")
    func framePointers() {
        let proved = stack { $0.frames[2].foundBy = .calledFrame }
        #expect(explained(whole(), proved).completeness.isComplete)
        let unproved = stack { $0.frames[2].foundBy = .framePointer }
        #expect(!explained(whole(), unproved).completeness.isComplete)
    }

    @Test("A module without its file fails nothing where its callers were found by tables")
    func tablesOfTheDump() {
        let problems = [1: "/lib/libc.so.6 was not found"]
        #expect(explained(whole(), stack(), problems: problems).completeness.isComplete)
    }

    @Test("Threads that the process had and the dump lacks are counted")
    func lostThreads() {
        var snapshot = whole()
        snapshot.files.status = ByteSlice(Array("Threads:\t221\n".utf8))
        #expect(
            explained(snapshot, stack()).completeness.failures
                == ["threads: 3 of 221 are in the dump"])
        var capture = CaptureSummary()
        capture.threadsFound = 3
        snapshot.capture = capture
        #expect(explained(snapshot, stack()).completeness.isComplete)
    }

    @Test("A thread that did not stop is named, once")
    func partialThread() {
        var snapshot = whole()
        snapshot.threads[2].completeness = .partial
        snapshot.threads[2].whyIncomplete = "it did not stop in time"
        let words = "thread 4713: it did not stop in time"
        #expect(explained(snapshot, stack()).completeness.failures == [words])
        snapshot.damage = [
            Damage(stage: .capture, subject: "thread 4713", reason: "it did not stop in time")
        ]
        #expect(explained(snapshot, stack()).completeness.failures == [words])
    }

    @Test("Where nobody counted or looked, nothing is missing and nothing is proved")
    func unproven() throws {
        let explanation = CrashExplanation(
            Sample.crash(), stacks: [], crashStack: stack())
        #expect(explanation.completeness.failures == [])
        #expect(!explanation.completeness.isComplete)
        #expect(
            text(explanation).contains(
                "\nDamage: none is known, but nothing in the dump tells how many threads the "
                    + "process had; the stacks of 2 threads were not looked at\n"))
        #expect(try json(explanation)["isComplete"] as? Bool == false)
        #expect((try json(explanation)["unproven"] as? [String])?.count == 2)
        #expect(HTMLReport(explanation).text.contains("<p>None is known, but nothing in"))
    }

    @Test("What a thread called before it went to a coroutine's stack is not looked for")
    func coroutine() throws {
        let explanation = explained(whole(), stack { $0.isCoroutine = true })
        #expect(explanation.completeness.failures == [])
        #expect(!explanation.completeness.isComplete)
        #expect(
            text(explanation).contains(
                "\nDamage: none is known, but the calls that 1 thread made before it went to a "
                    + "coroutine's stack are not looked for\n"))
        #expect(
            text(explanation).contains("  a coroutine's stack; the thread's own is not looked for"))
    }
}
