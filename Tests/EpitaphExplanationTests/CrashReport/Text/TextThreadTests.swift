// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Foundation
import Testing

@Suite("Threads in the text of a report")
struct TextThreadTests {
    @Test("A thread that did not stop says what is known of it, and why that is all")
    func partialThread() {
        var snapshot = Sample.crash()
        snapshot.threads[2].completeness = .partial
        snapshot.threads[2].whyIncomplete = "the thread did not answer before the deadline"
        snapshot.threads[2].runState = "D"
        snapshot.threads[2].systemCall = 7
        snapshot.threads[2].registers = .pointers(instruction: 0x7f00_0000_2010, stack: 0x1000)
        snapshot.threads[0].completeness = .missing
        snapshot.threads[0].registers = nil

        #expect(
            otherThreads(of: Sample.text(snapshot)) == """
                Thread 4711 "sampled" (missing):
                  no frames: the registers of this thread were not captured

                Thread 4713 (partial: the thread did not answer before the deadline; state D; \
                in system call 7):
                  #0  ?? in libc.so.6+0x2010

                """)
    }

    @Test("Other threads are counted and named where their stacks are not shown")
    func crashingOnly() {
        let explanation = CrashExplanation(Sample.crash(), stacks: [])
        let text = TextReport(explanation, threads: .crashing).lines.joined(separator: "\n")
        #expect(text.contains("\nCrashing thread 4712"))
        #expect(text.contains("\n2 other threads, not shown:\n  4711 \"sampled\", 4713\n"))
        #expect(!text.contains("\nThread 47"))
    }

    @Test("Of chosen threads the stacks are shown, and nothing is said of the others")
    func chosenThreads() {
        let explanation = CrashExplanation(Sample.crash(), stacks: [])
        let text = TextReport(explanation, threads: .these([4713])).lines.joined(separator: "\n")
        #expect(text.contains("\nCrashing thread 4712"))
        #expect(text.contains("\nThread 4713:\n"))
        #expect(!text.contains("4711 \"sampled\""))
        let alone = TextReport(explanation, threads: .these([])).lines.joined(separator: "\n")
        #expect(!alone.contains("4713"))
    }

    @Test("Every thread's id and name stays listed when threads are folded")
    func folding() {
        var snapshot = Sample.crash()
        snapshot.threads = (1...100).map { Sample.thread($0, "t\($0)", at: 0x40_1000) }
        snapshot.exception = nil
        let text = Sample.text(snapshot)
        #expect(text.contains("100 threads alike: 1 \"t1\", 2 \"t2\", "))
        for id in 1...100 {
            #expect(text.contains("\(id) \"t\(id)\""))
        }
    }

    @Test("Threads of one id in a forged dump are each shown, and one of them crashes")
    func repeatedIdentifiers() {
        var snapshot = Sample.crash()
        snapshot.threads = [
            Sample.thread(4712, "first", at: 0x40_1000),
            Sample.thread(4712, "second", at: 0x40_2000),
        ]
        let text = Sample.text(snapshot)
        #expect(text.contains("Crashing thread 4712 \"first\""))
        #expect(text.contains("Thread 4712 \"second\""))
    }

    private func otherThreads(of text: String) -> String? {
        guard let start = text.range(of: "\nThread "), let end = text.range(of: "\nModules:") else {
            return nil
        }
        return String(text[text.index(after: start.lowerBound)..<end.lowerBound])
    }
}
