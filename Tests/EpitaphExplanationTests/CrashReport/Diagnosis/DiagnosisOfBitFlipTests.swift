// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

/// When an address may be a memory error, and when that would be noise.
@Suite struct DiagnosisOfBitFlipTests {
    /// `mov rax, qword ptr [rbx]`, or `mov qword ptr [rbx], rax`.
    private func sample(_ pointer: UInt64, writes: Bool = false) -> DiagnosisSample {
        let isCanonical = pointer >> 47 == 0 || pointer >> 47 == 0x1ffff
        var sample = DiagnosisSample(
            code: isCanonical ? 1 : 0x80, address: isCanonical ? pointer : 0,
            instruction: [0x48, writes ? 0x89 : 0x8b, 0x03],
            pageFault: isCanonical ? (writes ? 6 : 4) : nil)
        sample.setX86 { $0.rbx = pointer }
        return sample
    }

    @Test(
        "One wrong bit of a pointer is told with the right pointer",
        arguments: [
            (0x7f10_0000_1000, 46), (0x7f10_0001_2340, 38), (0x7f10_0000_1000, 60),
            (0x7ffc_0000_0100, 47), (0x100_8000, 40),
        ] as [(UInt64, UInt64)])
    func flipped(right: UInt64, bit: UInt64) {
        let words = sample(right ^ 1 << bit).words
        #expect(words.contains("This may be a memory error"), "\(words)")
        #expect(words.contains("0x\(String(right, radix: 16)), which differs in bit \(bit) alone"))
    }

    @Test(
        "Small numbers, neighbours, patterns and numbers give no such hint",
        arguments: [
            0x10, 0x7f10_0081_1100, 0x7f10_0100_0000, 0x100_0000_0000_0000, 0xdead_beef_dead_beef,
            0xaaaa_aaaa_aaaa_aaaa, 0xffff_ffff_ffff_fff0, 0x7e10_0300_1000, 0x110_0010,
            0x6f77_7c6c_6665,
        ] as [UInt64])
    func quiet(pointer: UInt64) {
        #expect(!sample(pointer).words.contains("memory error"), "\(sample(pointer).words)")
    }

    @Test("A right pointer that would not have permitted the access is none")
    func permission() {
        #expect(sample(0x3f10_0000_1000).words.contains("memory error"))
        #expect(!sample(0x3f10_0000_1000, writes: true).words.contains("memory error"))
    }

    @Test("Nothing is said without the maps")
    func noMaps() {
        var sample = sample(0x3f10_0000_1000)
        sample.snapshot.files.maps = nil
        #expect(!sample.words.contains("memory error"))
    }

    @Test("Random pointers hardly ever look like flipped ones")
    func chance() {
        var state: UInt64 = 42
        var hints = 0
        for _ in 0..<300 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if sample(state >> 16).words.contains("memory error") { hints += 1 }
        }
        #expect(hints == 0)
    }
}
