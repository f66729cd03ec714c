// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

/// Offsets are those of CONTEXT in winnt.h.
@Suite("The registers in a written minidump")
struct ContextBytesTests {
    let raw = RawMinidump(bytes: minidump(of: Samples.x86_64))

    @Test("The context of x86_64 has every register at its offset")
    func contextX86() {
        let context = raw.u32(raw.offset(6) + 164)
        #expect(raw.u32(context + 48) == 0x10000f)
        #expect(raw.u32(context + 52) == raw.u32(context + 256 + 24))
        #expect(
            raw.slice(context + 56, 16) == hex("3300 0000 0000 1000 1100 2b00 46020100"))
        let integers = (0..<17).map { raw.u64(context + 120 + 8 * $0) }
        let stack = Samples.stackBase
        #expect(
            integers == [
                1, 3, 4, 2, stack + 0x80, stack + 0x100, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                0x5555_5555_4123,
            ])
        #expect(raw.slice(context + 256, 512) == Samples.bytes(512, seed: 3).array)
        #expect(raw.slice(context + 768, 464) == [UInt8](repeating: 0, count: 464))
    }

    @Test("The context of aarch64 has every register at its offset")
    func contextARM() {
        let raw = RawMinidump(bytes: minidump(of: Samples.aarch64))
        #expect(raw.u32(raw.offset(6) + 160) == 912)
        let context = raw.u32(raw.offset(6) + 164)
        #expect(raw.slice(context, 8) == hex("07004000 00000060"))
        #expect((0..<31).map { raw.u64(context + 8 + 8 * $0) } == (0..<31).map { 0x1000 + $0 })
        #expect(raw.u64(context + 256) == Samples.stackBase + 0x80)
        #expect(raw.u64(context + 264) == 0x5555_5555_4123)
        #expect(raw.slice(context + 272, 512) == Samples.bytes(512, seed: 9).array)
        #expect(raw.slice(context + 784, 8) == hex("00000003 10000000"))
    }

    @Test("A thread of which two registers are known says so")
    func partialContext() {
        let context = raw.u32(raw.offset(3) + 4 + 2 * 48 + 44)
        #expect(raw.u32(context + 48) == 0x100001)
        #expect(raw.u64(context + 152) == 0x7f10_2000_0800)
        #expect(raw.u64(context + 248) == 0x7f10_1000_0777)
        #expect(raw.u64(context + 120) == 0)
    }

    @Test("Without a saved floating-point state the record does not claim one")
    func withoutFloatingPoint() {
        let x86 = AMD64Context.encode(X86Registers())
        #expect(Array(x86[48..<52]) == hex("07001000"))
        let arm = ARM64Context.encode(ARM64Registers())
        #expect(Array(arm[..<4]) == hex("03004000"))
    }

    @Test("Breakpad's older record of aarch64 is read too")
    func oldARM64() throws {
        var record = ByteBuilder()
        record.append(UInt64(0x8000_0006))
        for index in 0..<33 as Range<UInt64> { record.append(0x100 + index) }
        for word: UInt32 in [0x6000_0000, 0x10, 0x20] { record.append(word) }
        record.append(Samples.bytes(512, seed: 4))
        var expected = ARM64Registers()
        expected.x = (0..<31).map { 0x100 + $0 }
        (expected.sp, expected.pc, expected.pstate) = (0x11f, 0x120, 0x6000_0000)
        (expected.fpsr, expected.fpcr) = (0x10, 0x20)
        expected.vectors = Samples.bytes(512, seed: 4)
        #expect(record.count == 796)
        #expect(try ARM64Context.decode(ByteSlice(record.bytes)) == .aarch64(expected))
    }
}
