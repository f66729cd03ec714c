// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphIntermediateDump
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
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
        /// How others begin that it may be as well.
        var otherInstructions: [String] = []
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

    @Test("At least sixty deaths are compared, each once")
    func table() {
        let all = Self.programDeaths + Self.dummyDeaths + Self.swiftDeaths
        #expect(all.count >= 60)
        #expect(Set(all.map(\.way)).count == all.count)
    }

    @Test("The victims' deaths are named", arguments: dummyDeaths)
    func dummies(_ death: Death) throws {
        try checkVictim(death, .c)
    }

    @Test("Swift's failures are named with their words", arguments: swiftDeaths)
    func swift(_ death: Death) throws {
        try checkVictim(death, .swift)
    }

    private func checkVictim(_ death: Death, _ victim: Victim) throws {
        let crash = try ExplainedCrash(victim, death.way)
        guard DummyBuild.isUnoptimized else {
            let diagnosis = try #require(crash.diagnosis)
            #expect(diagnosis.kind == death.kind)
            // The register is the optimiser's choice, and whether Swift's runtime gets to say it.
            let words = death.headline.prefix { $0 != "(" && $0 != "#" && $0 != ":" }
            #expect(diagnosis.headline.hasPrefix(words.prefix(20)))
            return
        }
        try check(death, crash)
    }

    @Test("A breakpoint is at its own line, not at the next one")
    func breakpoint() throws {
        let explanation = try ExplainedCrash(.c, "breakpoint").explanation
        let source = Victim.c.folder + "/crashes.c"
        let lines = try String(contentsOfFile: source, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let instruction = Machine.own == .x86_64 ? "\"int3\"" : "\"brk #0\""
        let line = try #require(lines.firstIndex { $0.contains(instruction) }) + 1
        let first = try #require(explanation.crashingThread?.stack?.frames.first)
        #expect(first.function == "crash_breakpoint")
        #expect(first.source?.line == line)
        #expect(TextReport(explanation).lines.contains { $0.contains("crashes.c:\(line)") })
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
        let held = observations.filter { $0.statement.contains("a lock that thread \(main) ") }
        #expect(held.count == 1)
        // glibc 2.36 waits in a function that only its debug symbols (libc6-dbg) name.
        let namesJoin = explanation.otherThreads
            .flatMap { $0.stack?.frames ?? [] }
            .contains { $0.function?.contains("pthread_clockjoin") == true }
        let joins = observations.filter { $0.statement.contains("the end of thread \(main) ") }
        #expect(joins.count == (namesJoin ? 1 : 0))
        #expect(joins.allSatisfy { $0.evidence.contains("while the word at 0x") })
        #expect(observations.last?.statement == "All other threads were waiting: 4 in futex.")
    }

    @Test(
        "A dump of either architecture is explained on any machine",
        arguments: [
            ("x86_64", "mov dword ptr [0x10], 1", ""), ("aarch64", "str w1, [x0]", " (x0)"),
        ])
    func fixtures(architecture: String, instruction: String, register: String) throws {
        let path = Products.fixture("intermediate-dumps/null-write-\(architecture).dump")
        let bytes = try #require(FileManager.default.contents(atPath: path))
        let snapshot = try IntermediateDump(ByteSlice(Array(bytes))).snapshot
        let diagnosis = try #require(CrashExplanation(snapshot, stacks: []).diagnosis)
        #expect(diagnosis.kind == .nullDereference)
        #expect(diagnosis.headline == "wrote to offset 0x10 of a null pointer\(register)")
        let code = try #require(diagnosis.code)
        #expect(code.instructions.filter(\.isAtFault).map(\.text) == [instruction])
        #expect(code.instructions.count > 4)
    }

    @Test("The instructions shown are where objdump sees some, with the same bytes")
    func alignment() throws {
        let program = try DiagnosisProgram.standard.get().path
        let explanation = try ExplainedCrash(program, "past_file").explanation
        let frame = try #require(explanation.crashingThread?.stack?.frames.first)
        let bias = frame.address &- (try #require(frame.place?.offset))
        let code = try #require(explanation.diagnosis?.code)
        let listing = try Subprocess.run(["objdump", "-d", "-w", program]).standardOutput
        let lines = listing.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(code.instructions.count == FaultingCodeCounts.all)
        for instruction in code.instructions {
            let label = String(instruction.address &- bias, radix: 16) + ":"
            let line = lines.first {
                $0.first?.drop(while: \.isWhitespace) == Substring(label)
            }
            let bytes = line?.dropFirst().first?.split(separator: " ").map { UInt8($0, radix: 16) }
            #expect(bytes == instruction.bytes.map { $0 }, "\(instruction)")
        }
    }

    @Test("Code that differs from its file in one bit may be a memory error")
    func flippedCode() throws {
        let program = try DiagnosisProgram.standard.get().path
        var snapshot = try ExplainedCrash(program, "unmapped").explanation.snapshot
        let pointer = try #require(snapshot.exception?.registers?.instructionPointer)
        let index = try #require(
            snapshot.memory.firstIndex { $0.addressRange.contains(pointer) })
        let region = snapshot.memory[index]
        for (bits, isTold) in [(0, false), (0x40, true), (0xcc, false)] as [(UInt8, Bool)] {
            var bytes = region.bytes.array
            bytes[Int(pointer - region.address) + 4] ^= bits
            snapshot.memory[index] = MemoryRegion(
                address: region.address, bytes: ByteSlice(bytes))
            let explanation = CrashExplanation(installed: snapshot)
            let hints = (explanation.diagnosis?.findings ?? []).filter {
                $0.statement.hasPrefix("This may be a memory error: the code at ")
            }
            #expect(hints.count == (isTold ? 1 : 0))
        }
    }

    private enum FaultingCodeCounts {
        /// Six before the one at fault, and five after it.
        static let all = 12
    }

    private func check(_ death: Death, _ crash: ExplainedCrash) throws {
        let diagnosis = try #require(crash.diagnosis)
        #expect(diagnosis.kind == death.kind)
        let headline = diagnosis.headline.replacing(
            #/0x[0-9a-f]{4,}|[A-Za-z0-9]{6}(?= \(del)/#, with: "#")
        #expect(headline == death.headline)
        let atFault = diagnosis.code?.instructions.filter(\.isAtFault).map(\.text) ?? []
        let isOther = death.otherInstructions.contains { atFault.first?.hasPrefix($0) == true }
        #expect(isOther || atFault == [death.instruction].compactMap(\.self), "\(atFault)")
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
