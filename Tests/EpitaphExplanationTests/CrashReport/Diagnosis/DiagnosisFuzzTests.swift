// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// Whatever a dump says, it is explained, or said to be unknown.
@Suite struct DiagnosisFuzzTests {
    @Test("No snapshot traps a diagnosis, and each finding has evidence", arguments: 1...8)
    func random(seed: UInt64) {
        var chance = Chance(state: seed)
        for _ in 0..<150 {
            let snapshot = snapshot(&chance)
            let explanation = CrashExplanation(snapshot, stacks: stacks(&chance))
            let findings = (explanation.diagnosis?.findings ?? []) + explanation.observations
            #expect(findings.allSatisfy { !$0.statement.isEmpty && !$0.evidence.isEmpty })
            #expect(explanation.diagnosis?.headline.isEmpty != true)
            #expect(explanation.signature?.identifier.count ?? 16 == 16)
        }
    }

    private struct Chance {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }

        mutating func below(_ limit: UInt64) -> UInt64 { next() % limit }

        /// One of the values that lie at edges, or any.
        mutating func address() -> UInt64 {
            let edges: [UInt64] = [
                0, 1, 8, 0xfff, 0x1000, 0x40_1234, 0x40_1235, .max, .max - 7, 0x7f10_0001_0ff8,
                0x7f10_0001_1000, 0x7ffb_ffff_fff8, 0x8000_0000_0000, 0x7fff_ffff_ffff,
            ]
            let choice = Int(below(UInt64(edges.count) + 6))
            return choice < edges.count ? edges[choice] : next() >> below(64)
        }

        mutating func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 8) }
        }
    }

    private func snapshot(_ chance: inout Chance) -> ProcessSnapshot {
        let architectures = Architecture.allCases
        let architecture =
            chance.below(8) == 0
            ? architectures[Int(chance.below(UInt64(architectures.count)))]
            : Architecture.captured[Int(chance.below(2))]
        let signals: [Int32] = [4, 5, 6, 7, 8, 11, 24, 25, 31, 15, -1, 99]
        let codes: [Int32] = [-6, -1, 0, 1, 2, 3, 4, 5, 0x80, .min, .max]
        var sample = DiagnosisSample(
            architecture, signal: signals[Int(chance.below(12))],
            code: codes[Int(chance.below(11))], address: chance.address(),
            instruction: chance.bytes(Int(chance.below(40))), pageFault: chance.below(32))
        sample.snapshot.exception?.senderProcessID = Int32(truncatingIfNeeded: chance.next())
        sample.snapshot.exception?.signalInfo = ByteSlice(chance.bytes(Int(chance.below(129))))
        setRegisters(&sample, &chance)
        sample.add(chance.bytes(64), at: chance.address())
        if chance.below(4) == 0 { sample.snapshot.files.maps = nil }
        if chance.below(4) == 0 { sample.snapshot.files.maps = ByteSlice(chance.bytes(300)) }
        if chance.below(2) == 0 {
            let sources = ["swift", "glibc", "c++", "app", ""]
            let texts = ["Assertion `", "' failed.", "Fatal error: ", "*** ", "", ": ", "free(): "]
            sample.snapshot.messages = [
                CrashMessage(
                    source: sources[Int(chance.below(5))],
                    text: texts[Int(chance.below(7))] + texts[Int(chance.below(7))])
            ]
        }
        sample.snapshot.threads += (0..<chance.below(5)).map { index in
            var thread = ThreadSnapshot(id: 4712 + index, completeness: .complete)
            thread.registers = sample.snapshot.exception?.registers
            thread.systemCall = Int64(bitPattern: chance.address())
            return thread
        }
        if chance.below(6) == 0 { sample.snapshot.exception = nil }
        return sample.snapshot
    }

    private func setRegisters(_ sample: inout DiagnosisSample, _ chance: inout Chance) {
        let values = (0..<31).map { _ in chance.address() }
        let pointer = chance.below(3) == 0 ? chance.address() : DiagnosisSample.code
        sample.setX86 { registers in
            (registers.rax, registers.rbx, registers.rcx) = (values[0], values[1], values[2])
            (registers.rdx, registers.rsi, registers.rdi) = (values[3], values[4], values[5])
            (registers.rsp, registers.rbp, registers.r8) = (values[6], values[7], values[8])
            registers.rip = pointer
        }
        sample.setARM { registers in
            registers.x = values
            registers.pc = pointer
            registers.sp = values[0]
        }
        if chance.below(8) == 0 {
            sample.snapshot.exception?.registers = .pointers(instruction: pointer, stack: values[1])
        }
    }

    private func stacks(_ chance: inout Chance) -> [ReportStack?] {
        let names = ["f", "abort", "Swift runtime failure: x", "", "pthread_mutex_lock", "a<b<c>"]
        return (0..<chance.below(4)).map { _ in
            ReportStack(
                frames: (0..<Int(chance.below(20))).map { index in
                    var frame = ReportFrame(index: index, address: chance.address())
                    frame.function = names[Int(chance.below(6))]
                    frame.functionOffset = chance.address()
                    frame.isInlined = chance.below(3) == 0
                    return frame
                })
        }
    }
}
