// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphValues
import Testing

/// What Swift's runtime collects where several threads fail at once.
@Suite struct SwiftMessageTests {
    private static let one = "App/a.swift:7: Fatal error: in task A"
    private static let other = "App/b.swift:9: Fatal error: in task B\nwith a second line"

    private func explained(_ text: String, file: String, line: Int) -> CrashExplanation {
        var sample = DiagnosisSample(
            signal: 4, code: 2, address: DiagnosisSample.code, instruction: [0x0f, 0x0b])
        sample.snapshot.messages = [
            CrashMessage(source: "swift", text: text), CrashMessage(source: "app", text: "mine"),
        ]
        var frame = Sample.frame(0, DiagnosisSample.code, "App.work() -> ()")
        frame.source = .init(file: file, line: line)
        return CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: [frame]))
    }

    @Test("Of two messages the one of the crashing thread is its reason, and both are there once")
    func two() {
        let both = "\(Self.one)\n\(Self.other)\n"
        let first = explained(both, file: "/src/a.swift", line: 7)
        #expect(first.diagnosis?.headline == "stopped with a Swift fatal error: in task A")
        #expect(first.snapshot.messages.map(\.text) == [Self.one, Self.other, "mine"])
        let second = explained(both, file: "/src/b.swift", line: 9)
        #expect(
            second.diagnosis?.headline
                == "stopped with a Swift fatal error: in task B\nwith a second line")
        #expect(second.snapshot.messages.map(\.text) == [Self.other, Self.one, "mine"])
    }

    @Test("The same message of two threads is told once")
    func same() {
        let twice = explained("\(Self.one)\n\(Self.one)\n", file: "/src/a.swift", line: 7)
        #expect(twice.snapshot.messages.map(\.text) == [Self.one, "mine"])
    }

    @Test("A message with lines of its own stays whole")
    func whole() {
        let crash = explained(Self.other, file: "/src/b.swift", line: 9)
        #expect(crash.snapshot.messages.first?.text == Self.other)
    }

    @Test("Without lines the words tell failures apart, whatever numbers are in them")
    func withoutLines() throws {
        func signature(_ words: String) throws -> CrashSignature {
            let text = "App/a.swift:7: Fatal error: \(words)"
            var sample = DiagnosisSample(
                signal: 4, code: 2, address: DiagnosisSample.code, instruction: [0x0f, 0x0b])
            sample.snapshot.messages = [CrashMessage(source: "swift", text: text)]
            let frame = Sample.frame(0, DiagnosisSample.code, "App.work() -> ()")
            return try #require(
                CrashExplanation(
                    sample.snapshot, stacks: [], crashStack: ReportStack(frames: [frame])
                ).signature)
        }
        let gone = try signature("ledger 2 is gone")
        #expect(
            gone.text == "swift-runtime-failure \"fatal error: ledger # is gone\" App.work() -> ()")
        #expect(try signature("ledger 31 is gone") == gone)
        #expect(
            try signature("no 0x7f31 of 1234ABCD-12AB-34CD-56EF-1234567890AB").text.contains(
                "no # of #"))
        #expect(try signature("no rows") != gone)
        #expect(try signature("Index out of range") != gone)
    }
}
