// SPDX-License-Identifier: Apache-2.0

import EpitaphPages
import EpitaphValues
import Testing

@testable import EpitaphExplanation

/// Errors that the sampler finds in a call of free(3), in a process that dies and in one that lives.
@Suite struct HeapFreeTests {
    private static let block = HeapSample.block(64, .freed)

    private func twice() -> HeapSample {
        var sample = HeapSample(.doubleFree)
        sample.add(Self.block)
        sample.add("allocated", by: "fill")
        sample.add("freed", by: "release", line: 31)
        return sample
    }

    private static let twiceWords =
        "freed a 64-byte block twice: first in release at cache.c:31 (thread 4713 \"sweeper\", 41 "
        + "ms before), and again in read_entry at cache.c:57; it was allocated in fill at "
        + "cache.c:12 (the same thread, 3.2 s before)"

    @Test("A block freed twice names all three calls")
    func doubleFree() {
        var sample = twice()
        sample.abort(at: Self.block.address)
        #expect(sample.kind == .doubleFree)
        #expect(sample.headline == Self.twiceWords)
        #expect(
            sample.explanation.signature?.text
                == "double-free (allocated by fill, freed by release) read_entry | serve")
    }

    @Test("A process that lives on says the same, and has the findings in its report")
    func handled() {
        var sample = twice()
        sample.handle(at: Self.block.address)
        #expect(sample.explanation.diagnosis == nil)
        let text = Sample.text(of: sample.explanation)
        #expect(text.hasPrefix("sampled: handled error: \(Self.twiceWords)\n"))
        #expect(text.contains("The block is at 0x7f5000002fc0"))
        #expect(
            sample.explanation.signature?.text
                == "handled-error double-free (allocated by fill, freed by release) read_entry | "
                + "serve")
    }

    @Test("An abort by another process, or for another reason, is not the sampler's")
    func otherAbort() {
        var sample = twice()
        sample.abort(at: Self.block.address)
        sample.snapshot.exception?.senderProcessID = 99
        #expect(sample.kind == .signalFromProcess)
        sample.abort(at: Self.block.address)
        sample.snapshot.heap?.error = nil
        #expect(sample.kind == .abort)
    }

    @Test(
        "A wrong address is placed by its block",
        arguments: [
            (16, "16 bytes inside of"), (-1, "1 byte before the start of"),
            (40, "directly past the end of"), (42, "2 bytes past the end of"),
        ] as [(Int, String)])
    func invalidFree(offset: Int, place: String) {
        var sample = HeapSample(.invalidFree)
        let block = HeapSample.block(40, .live)
        sample.add(block)
        sample.add("allocated", by: "fill")
        sample.abort(at: UInt64(Int(block.address) + offset))
        #expect(sample.kind == .invalidFree)
        #expect(
            sample.headline
                == "freed an address in read_entry at cache.c:57, \(place) a 40-byte block that "
                + "fill allocated at cache.c:12 (the same thread, 3.2 s before)")
    }

    @Test("An address in no block's pages is blamed on none")
    func invalidFreeOfNone() {
        var sample = HeapSample(.invalidFree)
        sample.add(HeapSample.block(64, .live))
        sample.abort(at: 0x7f50_0009_0000)
        #expect(sample.headline == "freed an address that is no block's")
    }

    @Test("Bytes that were written beside a block say where they were noticed, and no more")
    func overwritten() {
        var sample = HeapSample(.overwritten)
        let block = HeapSample.block(40, .live)
        sample.add(block)
        sample.add("allocated", by: "fill")
        sample.snapshot.heap?.errorBytes = [0x41, 0x42]
        sample.abort(at: block.address + 42)
        #expect(sample.kind == .heapOverwrite)
        #expect(
            sample.headline
                == "wrote past the end of a 40-byte block allocated in fill at cache.c:12 (the same "
                + "thread, 3.2 s before); found when it was freed in read_entry at cache.c:57")
        #expect(
            sample.words.hasPrefix(
                "The write itself happened earlier, at some time between allocation and freeing: "
                    + "no stack shows it. [The first byte that was changed is 2 bytes behind the "
                    + "block; memory holds 41 42 from there on.]"))
        // Who freed it is not the cause.
        #expect(sample.explanation.signature?.text == "heap-overwrite (allocated by fill)")
        #expect(sample.explanation.signature?.function == "fill")
        sample.abort(at: block.address - 3)
        #expect(sample.headline?.hasPrefix("wrote before the start of a 40-byte block") == true)
        #expect(sample.words.contains("is 3 bytes before the block"))
    }

    @Test("Without names the calls are told by their threads and times")
    func nameless() {
        var sample = HeapSample(.doubleFree)
        sample.frames = []
        sample.add(Self.block)
        sample.add("allocated", by: nil)
        sample.add("freed", by: nil)
        sample.abort(at: Self.block.address)
        #expect(
            sample.headline
                == "freed a 64-byte block twice: first by thread 4713 \"sweeper\", 41 ms before; it "
                + "was allocated by the same thread, 3.2 s before")
        sample.snapshot.heap?.blocks = []
        #expect(sample.headline == "freed a block twice")
    }

    @Test("Frames that are only likely name nobody")
    func scanned() {
        var sample = twice()
        let place = HeapMoment.Place(block: 0, isFree: true)
        sample.stacks[place]?.frames[2].foundBy = .stackScan
        sample.abort(at: Self.block.address)
        #expect(sample.headline?.contains("release") == false)
        #expect(sample.headline?.contains("first by thread 4713") == true)
    }

    @Test(
        "glibc's own messages say what sampling could have shown",
        arguments: [true, false])
    func advice(isSampled: Bool) {
        var sample = HeapSample(nil)
        if !isSampled { sample.snapshot.heap = nil }
        sample.abort(at: 0)
        sample.snapshot.heap?.errorAddress = nil
        sample.snapshot.messages = [
            CrashMessage(source: "glibc", text: "malloc(): corrupted top size\n")
        ]
        #expect(sample.kind == .heapCorruption)
        #expect(sample.headline?.contains("ampl") == false)
        #expect(
            sample.words.contains(
                isSampled
                    ? "is not known: one allocation in 1,000 is sampled, and no sampled block is "
                        + "involved."
                    : "Sampling of allocations can show who allocated and freed such a block: "
                        + "docs/memory-errors.md."))
    }
}
