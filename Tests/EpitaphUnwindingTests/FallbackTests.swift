// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Testing

/// How callers are found where no ELF file helps.
struct FallbackTests {
    private static let stack = MadeUpProcess.stack
    private static let callRelative: [UInt8] = [0xe8, 1, 2, 3, 4]

    @Test("A chain of frame pointers is followed to its end")
    func framePointers() {
        var process = MadeUpProcess(
            stackWords: [Self.stack + 16, 0, Self.stack + 32, 0, 0, 0, 0],
            ip: MadeUpProcess.code + 9, fp: Self.stack)
        process.stackWords[1] = process.returnAddress(0x100, after: Self.callRelative)
        process.stackWords[3] = process.returnAddress(0x200, after: Self.callRelative)
        process.stackWords[5] = process.returnAddress(0x300, after: Self.callRelative)
        let backtrace = process.unwind()

        #expect(
            backtrace.frames.map(\.instructionPointer) == [0x400009, 0x400100, 0x400200, 0x400300])
        #expect(backtrace.frames.map(\.lookupAddress) == [0x400009, 0x4000ff, 0x4001ff, 0x4002ff])
        #expect(
            backtrace.frames.map(\.foundBy) == [
                .registers, .framePointer, .framePointer, .framePointer,
            ])
        // A frame pointer of 0 may have been overwritten.
        #expect(backtrace.end == .noUnwindInformation)

        _ = process.startOfThread(0x300)
        #expect(process.unwind().frames == backtrace.frames)
        #expect(process.unwind().end == .reachedEnd)
    }

    @Test("Where the code is unknown a frame pointer is believed only as part of a chain")
    func framePointersWithoutCode() {
        var process = MadeUpProcess(
            stackWords: [Self.stack + 16, 0x400100, 0, 0x400200, 0], ip: 0x400009, fp: Self.stack)
        process.codeBytes = nil
        #expect(
            process.unwind().frames.map(\.instructionPointer) == [0x400009, 0x400100, 0x400200])

        process.stackWords[0] = 0x1234
        #expect(process.unwind().frames.map(\.instructionPointer) == [0x400009])
        #expect(process.unwind().end == .noUnwindInformation)
    }

    @Test("A frame pointer chain that loops ends")
    func frameLoop() {
        var process = MadeUpProcess(
            stackWords: [Self.stack + 16, 0, Self.stack, 0], ip: 0x400009, fp: Self.stack)
        process.stackWords[1] = process.returnAddress(0x100, after: Self.callRelative)
        process.stackWords[3] = process.returnAddress(0x200, after: Self.callRelative)
        #expect(process.unwind().frames.count == 3)
    }

    @Test("A scan accepts what is behind a call that leads to the running code")
    func scanAcceptsCalls() {
        var process = MadeUpProcess(stackWords: [1, 2, 0, 3], ip: 0x400309)
        process.stackWords[2] = process.returnAddress(0x100, after: Self.call(to: 0x300))
        process.codeBytes?.replaceSubrange(0x300..<0x303, with: Self.extendStack)
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x400309, 0x400100])
        #expect(backtrace.frames.last?.foundBy == .stackScan)
        #expect(backtrace.frames.last?.stackPointer == Self.stack + 24)
    }

    /// sub %rax, %rsp
    private static let extendStack: [UInt8] = [0x48, 0x29, 0xc4]

    @Test("Code that begins where a call leads tells whether that call is the last")
    func callThatFits() {
        var process = MadeUpProcess(stackWords: [1, 2, 0, 3], ip: 0x400309)
        process.stackWords[2] = process.returnAddress(0x100, after: Self.call(to: 0x300))
        // sub $16, %rsp
        process.codeBytes?.replaceSubrange(0x300..<0x304, with: [0x48, 0x83, 0xec, 0x10])
        #expect(process.unwind().frames.map(\.instructionPointer) == [0x400309, 0x400100])
        #expect(process.unwind().frames.last?.foundBy == .calledFrame)

        // sub $24, %rsp
        process.codeBytes?.replaceSubrange(0x300..<0x304, with: [0x48, 0x83, 0xec, 0x18])
        #expect(process.unwind().frames.map(\.instructionPointer) == [0x400309])
    }

    @Test(
        "After a jump to nowhere any call may have been the last",
        arguments: [
            [0xe8, 1, 2, 3, 4], [0xff, 0xd0], [0x41, 0xff, 0xd3], [0xff, 0x50, 0x08],
            [0xff, 0x14, 0x25, 1, 2, 3, 4], [0xff, 0x14, 0xc8], [0xff, 0x54, 0x24, 0x10],
            [0xff, 0x15, 1, 2, 3, 4], [0xff, 0x90, 1, 2, 3, 4], [0xff, 0x94, 0x24, 1, 2, 3, 4],
        ] as [[UInt8]])
    func callInstructions(instruction: [UInt8]) {
        var process = MadeUpProcess(stackWords: [0, 3], ip: 0x10)
        process.stackWords[0] = process.returnAddress(0x100, after: instruction)
        #expect(process.unwind().frames.map(\.instructionPointer) == [0x10, 0x400100])
    }

    @Test(
        "A scan passes over code addresses that no call of the running code can have left",
        arguments: [
            [0xff, 0xd0], [0x41, 0xff, 0xd3], [0xff, 0x15, 1, 2, 3, 4], Self.call(to: 0x400),
            [0x90], [0xff, 0xe0], [0xff, 0x25, 1, 2, 3, 4], [0xff, 0x75, 0x08],
            [0xff, 0x15, 1, 2, 3], [0xe9, 1, 2, 3, 4], [0xff, 0x50, 0x08, 0x90],
        ] as [[UInt8]])
    func scanRefusesOthers(instruction: [UInt8]) {
        var process = MadeUpProcess(stackWords: [1, 2, 0, 3], ip: 0x400009)
        process.stackWords[2] = process.returnAddress(0x100, after: instruction)
        #expect(process.unwind().frames.map(\.instructionPointer) == [0x400009])
    }

    @Test("After a jump to nowhere the caller comes from the return address at the stack pointer")
    func badJump() {
        var process = MadeUpProcess(stackWords: [0, 7, 8], ip: 0x10)
        process.stackWords[0] = process.returnAddress(0x100, after: [0xff, 0xd0])
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x10, 0x400100])
        #expect(backtrace.frames.map(\.foundBy) == [.registers, .returnAddress])
    }

    @Test("After a jump to nowhere an address in code that is not at hand is no more than possible")
    func badJumpWithoutCode() {
        var process = MadeUpProcess(stackWords: [0x400100, 7, 8], ip: 0x10)
        process.codeBytes = nil
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x10, 0x400100])
        #expect(backtrace.frames.map(\.foundBy) == [.registers, .stackGuess])
    }

    /// A call at 0x400100 that leads to `offset`.
    private static func call(to offset: UInt64) -> [UInt8] {
        let distance = UInt32(truncatingIfNeeded: Int64(offset) - 0x100)
        return [0xe8] + (0..<4).map { UInt8(distance >> ($0 * 8) & 0xff) }
    }

    @Test("Deep inside a function without a frame its caller comes from the stack pointer")
    func framelessFunction() {
        // The frame pointer is the caller's own and leads to the caller's caller.
        var process = MadeUpProcess(
            stackWords: [0, 7, Self.stack + 32, 0, 0, 0], ip: 0x400400, fp: Self.stack + 16)
        process.stackWords[0] = process.returnAddress(0x100, after: Self.call(to: 0x300))
        process.stackWords[3] = process.returnAddress(0x200, after: Self.callRelative)
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x400400, 0x400100, 0x400200])
        #expect(backtrace.frames.map(\.foundBy) == [.registers, .returnAddress, .framePointer])
    }

    @Test(
        "A return address at the stack pointer is not the caller where the code may have moved that",
        arguments: [
            [0x53], [0x48, 0x83, 0xec, 0x28], [0x48, 0x8d, 0x64, 0x24, 0xf8], [0xe8, 0, 0, 0, 0],
            [0x48, 0x89, 0xfc], [0xff, 0x35, 1, 2, 3, 4],
        ] as [[UInt8]])
    func movedStackPointer(instruction: [UInt8]) {
        var process = MadeUpProcess(
            stackWords: [0, 7, Self.stack + 32, 0, 0, 0], ip: 0x400400, fp: Self.stack + 16)
        process.stackWords[0] = process.returnAddress(0x100, after: Self.call(to: 0x300))
        process.stackWords[3] = process.returnAddress(0x200, after: Self.callRelative)
        process.codeBytes?.replaceSubrange(0x310..<0x310 + instruction.count, with: instruction)
        #expect(process.unwind().frames.map(\.instructionPointer) == [0x400400, 0x400200])
    }

    @Test("A return address of a call that leads elsewhere is not the caller")
    func callElsewhere() {
        for target: UInt64 in [0x500, 0x401] {
            var process = MadeUpProcess(
                stackWords: [0, 7, Self.stack + 32, 0, 0, 0], ip: 0x400400, fp: Self.stack + 16)
            process.stackWords[0] = process.returnAddress(0x100, after: Self.call(to: target))
            process.stackWords[3] = process.returnAddress(0x200, after: Self.callRelative)
            #expect(process.unwind().frames.map(\.instructionPointer) == [0x400400, 0x400200])
        }
    }

    @Test("The registers a signal interrupted are read where no unwind table has them")
    func signalContext() {
        var process = MadeUpProcess(
            stackWords: [UInt64](repeating: 0, count: 64), ip: MadeUpProcess.code + 0x800)
        // mov $15, %rax; syscall
        process.codeBytes?.replaceSubrange(
            0x800..<0x809, with: [0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05])
        // struct ucontext: the stack pointer is the 21st word, the instruction pointer the 22nd.
        process.stackWords[20] = Self.stack + 400
        process.stackWords[21] = MadeUpProcess.code + 0x900
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x400800, 0x400900])
        #expect(backtrace.frames.map(\.isSignalFrame) == [true, false])
        #expect(backtrace.frames[1].foundBy == .signalContext)
        // It was interrupted there, not called from there.
        #expect(backtrace.frames[1].lookupAddress == 0x400900)
    }

    @Test("A thread of which only the pointers are known gives its frame, and what a scan finds")
    func pointersOnly() {
        var process = MadeUpProcess(stackWords: [1, 3, 0, 2], ip: 0)
        process.stackWords[2] = process.returnAddress(0x100, after: Self.call(to: 0x300))
        process.codeBytes?.replaceSubrange(0x300..<0x303, with: Self.extendStack)
        process.registers = .pointers(instruction: 0x400309, stack: Self.stack)
        #expect(process.unwind().frames.map(\.foundBy) == [.registers, .stackScan])
    }

    @Test("No stack, no registers and too many frames each end a backtrace with their reason")
    func ends() {
        var process = MadeUpProcess(stackWords: [], ip: 0x400009)
        #expect(process.unwind().end == .noMemory(address: Self.stack))
        #expect(process.unwind().frames.count == 1)

        process.stackWords = [UInt64](
            repeating: process.returnAddress(0x100, after: Self.call(to: 0)), count: 50)
        let backtrace = process.unwind(frameLimit: 20)
        #expect(backtrace.frames.count == 20)
        #expect(backtrace.end == .limit(20))

        let snapshot = ProcessSnapshot(architecture: .x86_64)
        let unwinder = StackUnwinder(snapshot: snapshot, images: NoImages())
        let empty = unwinder.unwind(ThreadSnapshot(id: 1, completeness: .missing))
        #expect(empty == Backtrace(frames: [], end: .noRegisters))
        #expect(unwinder.unwindException() == nil)
    }

    @Test("Whatever lies on a stack, each caller is executable and each step goes up")
    func garbage() {
        var seed: UInt64 = 4711
        func next() -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return seed >> 16
        }
        for architecture in Architecture.captured {
            for _ in 0..<300 {
                let words = (0..<100).map { _ -> UInt64 in
                    switch next() % 4 {
                    case 0: MadeUpProcess.code + next() % 4096
                    case 1: Self.stack + next() % 800 / 8 * 8
                    case 2: UInt64.max - next() % 64
                    default: next()
                    }
                }
                var process = MadeUpProcess(
                    architecture, stackWords: words, ip: words[0], fp: words[1])
                process.codeBytes = (0..<4096).map { _ in
                    next() % 3 == 0 ? 0xe8 : UInt8(next() & 255)
                }
                let frames = process.unwind().frames
                #expect(
                    frames.dropFirst().allSatisfy { 0x400000..<0x401000 ~= $0.instructionPointer })
                #expect(
                    zip(frames, frames.dropFirst()).allSatisfy {
                        $0.stackPointer < $1.stackPointer || $0.isSignalFrame
                            || $1.foundBy == .returnAddress
                    })
            }
        }
    }
}
