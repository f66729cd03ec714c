// SPDX-License-Identifier: Apache-2.0

import CrashReport
import Foundation
import TestSupport
import Testing

/// What real crashes are said to be.
@Suite struct RealCrashDiagnosisTests {
    struct Death: Sendable, CustomTestStringConvertible {
        let way: String
        let kind: Diagnosis.Kind
        /// Its letters `#` stand for any hexadecimal number.
        let headline: String
        /// The instruction at fault; nil when no code is to be shown.
        var instruction: String?
        /// Parts of statements or evidence, in the order of the findings.
        var findings: [String] = []
        var testDescription: String { way }
    }

    @Test(
        "A C program's death is named with its register, place and instruction",
        arguments: programDeaths)
    func ours(_ death: Death) throws {
        let program = try DiagnosisProgram.standard.get().path
        try check(death, try ExplainedCrash(program, death.way))
    }

    @Test("The dummies' deaths are named", arguments: dummyDeaths)
    func dummies(_ death: Death) throws {
        try check(death, try ExplainedCrash(Products.executable("CrashDummy"), death.way))
    }

    @Test("Swift's failures are named with their words", arguments: swiftDeaths)
    func swift(_ death: Death) throws {
        try check(death, try ExplainedCrash(Products.executable("SwiftCrashDummy"), death.way))
    }

    @Test("A signal from outside is told with its sender, and what all threads waited for")
    func sent() throws {
        let program = try DiagnosisProgram.standard.get().path
        let crash = try ExplainedCrash(waiting: program, "wait_forever") { kill($0, SIGQUIT) }
        let diagnosis = try #require(crash.diagnosis)
        #expect(diagnosis.kind == .signalFromProcess)
        #expect(
            diagnosis.headline == "was sent SIGQUIT by process \(getpid()) of user \(getuid())")
        #expect(diagnosis.code == nil)
        #expect(crash.signature?.text == "signal-from-process SIGQUIT")
    }

    @Test("Threads that wait for each other's locks are a deadlock, with the owners' evidence")
    func deadlock() throws {
        let program = try DiagnosisProgram.standard.get().path
        let explanation = try ExplainedCrash(program, "deadlock").explanation
        #expect(explanation.diagnosis == nil)
        let main = try #require(explanation.snapshot.process.id)
        let other = try #require(explanation.snapshot.threads.first { $0.name == "other" }?.id)
        let observations = explanation.observations
        let cycle = try #require(observations.first)
        #expect(cycle.statement.hasPrefix("Deadlock: thread "))
        #expect(cycle.statement.contains("thread \(other) \"other\" waits for a lock of thread "))
        #expect(cycle.evidence.contains("says that thread \(other) owns it."))
        #expect(cycle.evidence.contains("says that thread \(main) owns it."))
        let held = observations.filter { $0.statement.contains(" that thread \(main) ") }
        #expect(held.count == 1)
        #expect(observations.last?.statement == "All other threads were waiting: 4 in futex.")
    }

    private func check(_ death: Death, _ crash: ExplainedCrash) throws {
        let diagnosis = try #require(crash.diagnosis)
        #expect(diagnosis.kind == death.kind)
        let headline = diagnosis.headline.replacing(
            #/0x[0-9a-f]{4,}|[A-Za-z0-9]{6}(?= \(del)/#, with: "#")
        #expect(headline == death.headline)
        let atFault = diagnosis.code?.instructions.filter(\.isAtFault).map(\.text) ?? []
        #expect(atFault == [death.instruction].compactMap(\.self))
        var rest = diagnosis.findings[...]
        for part in death.findings {
            let index = rest.firstIndex { "\($0.statement)\n\($0.evidence)".contains(part) }
            #expect(index != nil, "\(part) is missing in \(diagnosis.findings)")
            rest = rest[(index ?? rest.startIndex)...]
        }
        #expect(!diagnosis.findings.contains { $0.evidence.isEmpty || $0.statement.isEmpty })
        let mayBeFlipped = diagnosis.findings.contains { $0.statement.contains("memory error:") }
        #expect(mayBeFlipped == (death.way == "flipped"))
    }
}
