// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Testing

struct ARM64Tests {
    private static let stack = MadeUpProcess.stack
    /// bl, blr x8, blraa x8, x9 of the Arm ARM.
    private static let calls: [[UInt8]] = [
        [0x00, 0x00, 0x00, 0x94], [0x00, 0x01, 0x3f, 0xd6], [0x09, 0x09, 0x3f, 0xd7],
    ]

    @Test("Frame records are followed, and authentication codes taken off", arguments: calls)
    func frameRecords(call: [UInt8]) {
        var process = MadeUpProcess(
            .aarch64, stackWords: [9, 9, Self.stack + 48, 0, 9, 9, 0, 0], ip: 0x400008,
            fp: Self.stack + 16)
        process.stackWords[3] = process.returnAddress(0x100, after: call) | 0x00aa_0000_0000_0000
        process.stackWords[7] = process.startOfThread(0x200)
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x400008, 0x400100, 0x400200])
        #expect(backtrace.frames[1].foundBy == .framePointer)
        #expect(backtrace.end == .reachedEnd)
    }

    @Test("A record whose address is behind no call is not followed")
    func noCall() {
        let process = MadeUpProcess(
            .aarch64, stackWords: [0, 0x400100], ip: 0x400008, fp: Self.stack)
        #expect(process.unwind().frames.count == 1)
    }

    @Test("After a jump to nowhere the caller comes from x30")
    func badJump() throws {
        var process = MadeUpProcess(.aarch64, stackWords: [0, 0], ip: 0, fp: 0)
        var saved = ARM64Registers()
        (saved.pc, saved.sp) = (0, Self.stack)
        saved.x[30] = process.returnAddress(0x100, after: Self.calls[1])
        process.registers = .aarch64(saved)
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0, 0x400100])
        #expect(backtrace.frames.last?.foundBy == .returnAddress)
    }

    @Test("What a signal interrupted is found through the kernel's frame record")
    func signalFrame() {
        let trampoline = MadeUpProcess.code + 0x800
        // The handler's record, then struct rt_sigframe of 4,688 bytes, then the kernel's record.
        let frameWord = 2
        let recordWord = frameWord + 4_688 / 8
        var words = [UInt64](repeating: 0, count: recordWord + 40)
        let record = Self.stack + UInt64(recordWord) * 8
        words[0] = record
        words[1] = trampoline
        // fault_address is at 304; x0 to x30, sp and pc follow.
        let registers = frameWord + 312 / 8
        words[registers + 29] = 0x5555
        words[registers + 30] = 0x6666
        words[registers + 31] = record + 32
        words[registers + 32] = MadeUpProcess.code + 0x900
        words[recordWord] = 0x5555
        words[recordWord + 1] = 0x6666
        var process = MadeUpProcess(.aarch64, stackWords: words, ip: 0x400008, fp: Self.stack)
        // The kernel sets x30 itself: no call is before the vdso's code. mov x8, #139; svc #0
        process.codeBytes?.replaceSubrange(
            0x800..<0x808, with: [0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4])
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x400008, trampoline, 0x400900])
        #expect(backtrace.frames.map(\.isSignalFrame) == [false, true, false])
    }
}
