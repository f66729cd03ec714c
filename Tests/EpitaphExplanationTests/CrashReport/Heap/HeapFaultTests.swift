// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphExplanation

/// Faults in the pool of sampled allocations: which block is blamed, and in which words.
@Suite struct HeapFaultTests {
    /// The end of the slot, where the guard page begins.
    private static let guardPage = HeapSample.slot.upperBound

    @Test("A read past the end names the block, who allocated it and when")
    func pastEnd() {
        var sample = HeapSample()
        // 8 bytes of padding are between the block and the guard page.
        sample.add(HeapSample.block(40, .live))
        sample.add("allocated", by: "parse_header", line: 214)
        sample.fail(at: Self.guardPage)
        #expect(sample.kind == .heapOutOfBounds)
        #expect(
            sample.headline
                == "read 4 bytes, 8 past the end of a 40-byte block that parse_header allocated at "
                + "cache.c:214 (the same thread, 3.2 s before)")
        #expect(
            sample.words.contains(
                "The block is at 0x7f5000002fd0. [The sampler's record: it had 0x7f5000001000 to "
                    + "0x7f5000003000 for itself, between pages that nobody may use; one "
                    + "allocation in 1,000 is sampled.]"))
        #expect(sample.words.contains("The address comes from rax."))
    }

    @Test(
        "The bytes are counted from the block's end, also of an access that begins before it",
        arguments: [
            // of a block of 64 bytes, which ends at the guard page
            (0x3000, 0x3000, "read 4 bytes directly past the end of a 64-byte block"),
            (0x3007, 0x3007, "read 4 bytes, 7 past the end of a 64-byte block"),
            (0x3000, 0x2ffe, "read 4 bytes, the last 2 of them past the end of a 64-byte block"),
            (0x3000, 0x2ffd, "read 4 bytes, the last of them past the end of a 64-byte block"),
        ] as [(UInt64, UInt64, String)])
    func distances(fault: UInt64, start: UInt64, headline: String) {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .live))
        sample.fail(at: 0x7f50_0000_0000 + fault, start: 0x7f50_0000_0000 + start)
        #expect(sample.headline == headline)
    }

    @Test("Where the instruction is not known, neither is the number of bytes")
    func unknownInstruction() {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .live))
        sample.fail(at: Self.guardPage + 8, instruction: [], pageFault: 6)
        #expect(sample.headline == "wrote memory 8 bytes past the end of a 64-byte block")
    }

    @Test("A block at its slot's start is overrun downwards")
    func beforeStart() {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .live, atStart: true))
        sample.add("allocated", by: "fill")
        // mov dword ptr [rax], 5
        sample.fail(
            at: HeapSample.slot.lowerBound - 8, instruction: [0xc7, 0x00, 5, 0, 0, 0],
            pageFault: 6)
        #expect(sample.kind == .heapOutOfBounds)
        #expect(
            sample.headline
                == "wrote 4 bytes, 8 before the start of a 64-byte block that fill allocated at "
                + "cache.c:12 (the same thread, 3.2 s before)")
    }

    @Test("A use of a freed block names who freed it and who allocated it")
    func useAfterFree() {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .freed))
        sample.add("allocated", by: "fill")
        sample.add("freed", by: "release", line: 31)
        sample.fail(at: Self.guardPage - 48)
        #expect(sample.kind == .useAfterFree)
        #expect(
            sample.headline
                == "read 4 bytes, 16 into a 64-byte block that release freed at cache.c:31 (thread "
                + "4713 \"sweeper\", 41 ms before) and fill allocated at cache.c:12 (the same "
                + "thread, 3.2 s before)")
        sample.fail(at: Self.guardPage - 64)
        #expect(sample.headline?.hasPrefix("read 4 bytes at the start of a 64-byte block") == true)
    }

    @Test("Past the end of a freed block is no use of it")
    func pastFreed() {
        var sample = HeapSample()
        sample.add(HeapSample.block(40, .freed))
        sample.add("freed", by: "release")
        sample.fail(at: Self.guardPage - 4)
        #expect(sample.kind == .heapOutOfBounds)
        #expect(
            sample.headline?.hasPrefix(
                "read 4 bytes, 4 past the end of a 40-byte block that release freed") == true)
    }

    @Test("Between two blocks the nearer one is blamed, and both if they are about as near")
    func between() {
        var sample = HeapSample()
        sample.add(HeapSample.block(1024, .live))
        sample.add("allocated", by: "lower")
        sample.add(HeapSample.block(1024, .live, in: HeapSample.slotAbove, atStart: true))
        sample.add("allocated", by: "upper")
        sample.fail(at: Self.guardPage + 16)
        #expect(
            sample.headline?.contains("16 past the end of a 1,024-byte block that lower") == true)
        sample.fail(at: HeapSample.slotAbove.lowerBound - 16)
        #expect(
            sample.headline?.contains("16 before the start of a 1,024-byte block that upper")
                == true)
        sample.fail(at: Self.guardPage + 2048)
        #expect(
            sample.headline
                == "read 4 bytes between two blocks: 2,048 past the end of a 1,024-byte block that "
                + "lower allocated at cache.c:12 (the same thread, 3.2 s before), and 2,048 before "
                + "the start of a 1,024-byte block that upper allocated at cache.c:12 (the same "
                + "thread, 3.2 s before)")
        #expect(sample.explanation.signature?.text == "heap-out-of-bounds read_entry | serve")
    }

    @Test("An address too far from all blocks is blamed on none", arguments: [161, 2000, 4095])
    func nearNone(distance: UInt64) {
        var sample = HeapSample()
        sample.add(HeapSample.block(40, .live))
        sample.add("allocated", by: "parse_header")
        sample.fail(at: Self.guardPage - 8 + distance)
        #expect(sample.kind == .inaccessibleMemory)
        #expect(sample.headline?.contains("parse_header") == false)
        #expect(
            sample.words.contains(
                "The address lies in the pool of sampled allocations and near none of its blocks"))
        sample.snapshot.heap?.blocks = []
        #expect(sample.words.contains("near none of its blocks"))
    }

    @Test("A block that is just being changed is not blamed with certainty")
    func changing() {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .changing))
        sample.add("allocated", by: "fill")
        for address in [Self.guardPage - 8, Self.guardPage + 8] {
            sample.fail(at: address)
            #expect(sample.kind == .inaccessibleMemory)
            #expect(sample.words.contains("it may not be the one that was meant"))
        }
    }

    @Test("A block whose memory was accessible cannot have failed")
    func accessible() {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .live))
        sample.fail(at: Self.guardPage - 16)
        #expect(sample.kind == .inaccessibleMemory)
        #expect(sample.words.contains("the block that was meant is another one"))
    }

    @Test("A fault elsewhere, and a signal that was sent, are judged as without sampling")
    func elsewhere() {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .freed))
        sample.fail(at: 0x10)
        #expect(sample.kind == .nullDereference)
        #expect(!sample.words.contains("sampled"))
        sample.fail(at: Self.guardPage - 8)
        sample.snapshot.exception?.code = 0
        sample.snapshot.exception?.senderProcessID = 99
        #expect(sample.kind == .signalFromProcess)
        #expect(!sample.words.contains("sampled"))
    }

    @Test("Blocks of a forged report end nothing", arguments: [0, 1, .max / 2, .max] as [UInt64])
    func forged(number: UInt64) {
        for other in [0, 1, 4095, .max] as [UInt64] {
            for state in [.live, .freed, .changing, nil] as [SampledBlock.State?] {
                var sample = HeapSample()
                var block = SampledBlock(address: number, size: other)
                block.state = state
                block.slot = other < number ? other..<number : nil
                sample.add(block)
                block.slot = number < other ? number..<other : nil
                sample.add(block)
                sample.snapshot.heap?.pool = 0..<UInt64.max
                sample.fail(at: number)
                #expect(sample.headline != nil)
                sample.fail(at: other, start: number)
                #expect(sample.headline != nil)
            }
        }
    }
}
