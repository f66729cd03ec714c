// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Memory regions that overlap")
struct MemoryMergingTests {
    private func region(_ address: UInt64, _ text: String) -> MemoryRegion {
        MemoryRegion(address: address, bytes: Samples.text(text))
    }

    private func runs(
        preferred: [MemoryRegion] = [], _ others: [MemoryRegion]
    ) -> [String] {
        MemoryMerging.runs(preferred: preferred, others: others).map { run in
            "\(run.address):" + run.parts.map(\.text).joined()
        }
    }

    @Test("are listed in address order and left alone where they do not touch")
    func none() {
        #expect(runs([region(20, "cd"), region(10, "ab")]) == ["10:ab", "20:cd"])
    }

    @Test("are one when they are the same")
    func same() {
        #expect(runs([region(10, "abcd"), region(10, "abcd")]) == ["10:abcd"])
    }

    @Test("are joined when one ends where the other begins")
    func adjacent() {
        #expect(runs([region(14, "ef"), region(10, "abcd")]) == ["10:abcdef"])
    }

    @Test("are cut where they share a part")
    func partial() {
        #expect(runs([region(10, "abcd"), region(12, "CDEF")]) == ["10:abcdEF"])
    }

    @Test("vanish inside one that encloses them")
    func enclosed() {
        #expect(runs([region(10, "abcdef"), region(12, "CD")]) == ["10:abcdef"])
        #expect(runs([region(12, "CD"), region(10, "abcdef")]) == ["10:abcdef"])
    }

    @Test("join from the smaller address on, whichever was named first")
    func smallerSecond() {
        #expect(runs([region(12, "CDEF"), region(10, "abcd")]) == ["10:abcdEF"])
    }

    @Test("lose the shared part to a stack, on both of its sides")
    func stacks() {
        #expect(
            runs(preferred: [region(12, "CD")], [region(10, "abcdef")]) == ["10:abCDef"])
        #expect(
            runs(preferred: [region(12, "CD"), region(16, "GH")], [region(11, "bcdefghi")])
                == ["11:bCDefGHi"])
        #expect(
            runs(preferred: [region(10, "ABCDEF")], [region(12, "cd"), region(14, "efgh")])
                == ["10:ABCDEFgh"])
    }

    @Test("count for nothing when they are empty")
    func empty() {
        #expect(runs([region(10, ""), region(10, "ab"), region(5, "")]) == ["10:ab"])
        #expect(runs([]) == [])
    }

    @Test("may end at the last address there is")
    func last() {
        let top = UInt64.max - 4
        #expect(
            runs([region(top, "abcdefgh"), region(top - 2, "xyab")]) == ["\(top - 2):xyabcd"])
    }
}
