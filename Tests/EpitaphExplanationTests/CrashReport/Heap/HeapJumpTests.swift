// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphExplanation

/// Jumps into the pool of sampled allocations.
@Suite struct HeapJumpTests {
    private static func jump(
        to offset: UInt64, _ state: SampledBlock.State?, size: UInt64 = 64
    ) -> HeapSample {
        var sample = HeapSample()
        let block = HeapSample.block(size, state)
        sample.add(block)
        sample.add("allocated", by: "fill")
        if state == .freed { sample.add("freed", by: "release", line: 31) }
        let target = block.address &+ offset
        // An instruction fetch, Intel SDM 3A, 4.7.
        sample.fail(at: target, instruction: [], pageFault: 0x14)
        var registers = Sample.registers(rip: target)
        (registers.trapNumber, registers.errorCode, registers.cr2) = (14, 0x14, target)
        sample.snapshot.exception?.registers = .x86_64(registers)
        sample.frames = [
            Sample.frame(0, target, nil),
            Sample.frame(1, 0x40_2000, "serve", at: .init(file: "/src/cache.c", line: 70)),
        ]
        sample.frames[1].foundBy = .returnAddress
        return sample
    }

    @Test("A call of a pointer into a freed block names the block as any other use does")
    func freed() {
        let sample = Self.jump(to: 16, .freed)
        #expect(sample.kind == .useAfterFree)
        #expect(
            sample.headline
                == "called an address 16 bytes into a 64-byte block that release freed at "
                + "cache.c:31 (thread 4713 \"sweeper\", 41 ms before) and fill allocated at "
                + "cache.c:12 (the same thread, 3.2 s before)")
        #expect(sample.words.contains("The jump came from serve (cache.c:70)."))
        #expect(
            sample.explanation.signature?.text.hasPrefix(
                "use-after-free (allocated by fill, freed by release)") == true)
        #expect(
            Self.jump(to: 0, .freed).headline?.hasPrefix(
                "called an address at the start of a 64-byte block") == true)
    }

    @Test(
        "No block is blamed for an address that is none's, however near it is",
        arguments: [.max, 64, 72] as [UInt64])
    func beside(offset: UInt64) {
        for state in [.freed, .live] as [SampledBlock.State] {
            let sample = Self.jump(to: offset, state)
            #expect(sample.kind == .executeData)
            #expect(sample.headline?.contains("fill") == false)
            #expect(sample.words.contains("and in none of its blocks."))
            #expect(!sample.words.contains("fill"))
        }
    }

    @Test("A call into a live block is one of data, and says which")
    func live() {
        let sample = Self.jump(to: 16, .live)
        #expect(sample.kind == .executeData)
        #expect(
            sample.words.contains(
                "The address lies in a 64-byte block that fill allocated at cache.c:12"))
    }

    @Test("A block that is just being changed, or whose state is not known, is not blamed")
    func unsettled() {
        #expect(
            Self.jump(to: 16, .changing).words.contains("it may not be the one that was meant"))
        #expect(Self.jump(to: 16, nil).words.contains("Whether that was freed is not known"))
        #expect(Self.jump(to: 16, .changing).kind == .executeData)
    }

    @Test("A return to an overwritten address is no call of it")
    func returned() {
        var sample = Self.jump(to: 16, .freed)
        guard let target = sample.snapshot.exception?.address,
            case .x86_64(let registers)? = sample.snapshot.exception?.registers
        else { return }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: target >> (8 * $0)) }
        sample.snapshot.memory = [
            MemoryRegion(address: registers.rsp - 8, bytes: ByteSlice(bytes + bytes))
        ]
        sample.frames.removeLast()
        #expect(sample.kind == .overwrittenReturnAddress)
    }
}
