// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// Faults for which the processor gives no address, and what may be said about each.
@Suite struct RefusedInstructionTests {
    private static let memory: UInt64 = 0x0100_0008

    private func sample(_ instruction: [UInt8]) -> DiagnosisSample {
        var sample = DiagnosisSample(code: 0x80, instruction: instruction)
        sample.setX86 { ($0.rax, $0.rsi) = (Self.memory, Self.memory) }
        return sample
    }

    @Test(
        "An instruction that programs may execute is not called privileged",
        arguments: [
            ([0x8e, 0xd8], "loaded the segment register ds with a selector that the processor"),
            ([0x0f, 0xa9], "loaded the segment register gs with a selector that the processor"),
            ([0x48, 0xcf], "executed a far return that the processor refused, `iretq`"),
            ([0x48, 0xcb], "executed a far return that the processor refused, `retfq`"),
        ] as [([UInt8], String)])
    func segments(bytes: [UInt8], headline: String) {
        let diagnosis = sample(bytes).diagnosis
        #expect(diagnosis?.headline.hasPrefix(headline) == true, "\(diagnosis?.headline ?? "")")
        #expect(diagnosis?.kind == .illegalInstruction)
    }

    @Test("A privileged instruction is called so", arguments: [[0xf4], [0x0f, 0x20, 0xc0]])
    func privileged(bytes: [UInt8]) {
        #expect(
            sample(bytes).diagnosis?.headline.hasPrefix("executed a privileged instruction") == true
        )
    }

    @Test(
        "So it is on aarch64, where the processor gives no other signal than for an unknown one",
        arguments: [
            ([0x00, 0x10, 0x18, 0xd5], true),  // msr sctlr_el1, x0
            ([0x40, 0x42, 0x38, 0xd5], true),  // mrs x0, currentel
            ([0xdf, 0x42, 0x03, 0xd5], true),  // msr daifset, #2
            ([0x1f, 0x87, 0x08, 0xd5], true),  // tlbi vmalle1
            ([0x02, 0x00, 0x00, 0xd4], true),  // hvc #0
            ([0x03, 0x00, 0x00, 0xd4], true),  // smc #0
            ([0xe0, 0x03, 0x9f, 0xd6], true),  // eret
            ([0x40, 0xd0, 0x3b, 0xd5], false),  // mrs x0, tpidr_el0
            ([0x20, 0x74, 0x0b, 0xd5], false),  // dc zva, x0
            ([0xc0, 0x03, 0x5f, 0xd6], false),  // ret
        ] as [([UInt8], Bool)])
    func onARM64(bytes: [UInt8], isPrivileged: Bool) {
        let sample = DiagnosisSample(
            .aarch64, signal: 4, code: 1, address: DiagnosisSample.code, instruction: bytes)
        let headline = sample.diagnosis?.headline ?? ""
        let isCalledSo = headline.hasPrefix("executed a privileged instruction")
        #expect(isCalledSo == isPrivileged, "\(headline)")
    }

    @Test("musl ends a program by a privileged instruction, and is named for it")
    func musl() {
        var sample = sample([0xf4])
        sample.snapshot.modules = ["/lib/ld-musl-x86_64.so.1", "/usr/bin/sampled"].enumerated().map
        {
            let start = DiagnosisSample.code + UInt64($0) * 0x1000
            return ModuleSnapshot(
                path: $1, addressRange: start..<start + 0x1000, kind: .sharedObject)
        }
        let calls: [(String, UInt64)] = [("free", 0), ("drop", 0x1000)]
        let frames = calls.enumerated().map { index, frame in
            var call = ReportFrame(index: index, address: DiagnosisSample.code + frame.1)
            call.place = .init(call.address, in: sample.snapshot.modules)
            call.function = frame.0
            return call
        }
        let diagnosis = CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
        ).diagnosis
        #expect(diagnosis?.kind == .trap)
        #expect(diagnosis?.headline == "was stopped by musl in free")
    }

    @Test(
        "An instruction that uses no memory is not said to have used any",
        arguments: [
            ([0x0f, 0x31], "`rdtsc`"), ([0x0f, 0x01, 0xd0], "`xgetbv`"),
        ] as [([UInt8], String)])
    func withoutMemory(bytes: [UInt8], text: String) {
        let diagnosis = sample(bytes).diagnosis
        #expect(diagnosis?.headline == "executed \(text), which the processor refused")
    }

    @Test("`int 4` is told by the trap, behind which the instruction pointer is")
    func overflow() {
        var sample = sample([0x48, 0x8b, 0x00])
        sample.setX86 { $0.trapNumber = 4 }
        #expect(
            sample.diagnosis?.headline
                == "raised the processor's overflow exception, as `int 4` does")
    }

    @Test("Bytes that set reserved state are told apart from their address")
    func state() {
        #expect(
            sample([0x0f, 0xae, 0x10]).diagnosis?.headline.hasPrefix(
                "loaded processor state that the processor refused, `ldmxcsr") == true)
    }

    @Test(
        "Every instruction that needs an aligned address is known",
        arguments: [
            ([0x66, 0x0f, 0xfe, 0x00], "read from 0x1000008 (rax)", 16),  // paddd xmm0, [rax]
            ([0x48, 0x0f, 0xc7, 0x0e], "0x1000008 (rsi)", 16),  // cmpxchg16b [rsi]
            ([0x0f, 0xae, 0x00], "0x1000008 (rax)", 16),  // fxsave [rax]
            ([0x0f, 0xae, 0x28], "0x1000008 (rax)", 64),  // xrstor [rax]
            // vmovdqa64 zmm0, [rax]
            ([0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x00], "read from 0x1000008 (rax)", 64),
        ] as [([UInt8], String, Int)])
    func alignment(bytes: [UInt8], place: String, alignment: Int) {
        let diagnosis = sample(bytes).diagnosis
        #expect(diagnosis?.kind == .misalignedAccess)
        let headline = diagnosis?.headline ?? ""
        #expect(
            headline.hasSuffix("\(place), which is not a multiple of \(alignment)"), "\(headline)")
    }

    @Test(
        "One that needs none is not", arguments: [[0x0f, 0x10, 0x00], [0xc5, 0xf9, 0xfe, 0x00]])
    func unaligned(bytes: [UInt8]) {
        #expect(sample(bytes).diagnosis?.kind == .generalProtection)
    }

    @Test("What is added to a good pointer is not called a pointer")
    func index() {
        // movsx rax, byte ptr [rax + rdi]
        var sample = sample([0x48, 0x0f, 0xbe, 0x04, 0x38])
        sample.setX86 { $0.rdi = 0x7fff_ffff_ffff_f830 }
        #expect(sample.diagnosis?.kind == .nonCanonicalAddress)
        #expect(
            sample.words.contains(
                "rax points to the heap, and rdi leads from there out of the addresses"))
        #expect(!sample.words.contains("is not a pointer"))
    }
}
