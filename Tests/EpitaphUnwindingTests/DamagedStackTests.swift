// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

/// Stacks that were overwritten, and stacks that are very deep.
struct DamagedStackTests {
    @Test("A return address that no call left ends the backtrace in front of it")
    func smashedStack() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-fomit-frame-pointer"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "recursion"], in: directory)
        let truth = debugged.frames.map(\.instructionPointer)
        var snapshot = debugged.snapshot
        let stack = try #require(snapshot.threads[0].stack)
        let images = InstalledImages()
        let whole = try #require(
            StackUnwinder(snapshot: snapshot, images: images).unwindException())
        #expect(whole.frames.map(\.instructionPointer) == truth)

        // The return address of a frame is right below its caller's stack pointer.
        let slot = whole.frames[3].stackPointer - 8 - stack.address
        var bytes = stack.bytes.array
        bytes[Int(slot)] &+= 1
        snapshot.threads[0].stack = MemoryRegion(address: stack.address, bytes: ByteSlice(bytes))
        let smashed = try #require(
            StackUnwinder(snapshot: snapshot, images: images).unwindException())
        #expect(smashed.frames.map(\.instructionPointer) == Array(truth.prefix(3)))
        guard case .notACall = smashed.end else {
            Issue.record("ended because \(smashed.end)")
            return
        }

        // What a memset past a buffer leaves is no outermost frame, nor is a function's address.
        let module = try #require(snapshot.modules.first { $0.addressRange.contains(truth[0]) })
        let image = try ELFImage(try ForeignFile.contents(of: program))
        let bias = image.loadBias(in: module)
        let rules = try #require(CallFrameTable(image, debug: nil).rules(at: truth[0] &- bias))
        let function = rules.addressRange.lowerBound &+ bias
        // The rest of the last page of code is mapped, and is no code.
        let code = try #require(image.segments.first { $0.isExecutable })
        let behind = code.address + code.fileSize + 1 + bias
        for (word, end): (UInt64, Backtrace.End) in [
            (0, .unprovedStart(0)), (function, .unprovedStart(function)),
            (behind, .notACall(behind)),
        ] {
            bytes.replaceSubrange(
                Int(slot)..<Int(slot) + 8, with: (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) })
            snapshot.threads[0].stack = MemoryRegion(
                address: stack.address, bytes: ByteSlice(bytes))
            let overwritten = try #require(
                StackUnwinder(snapshot: snapshot, images: images).unwindException())
            #expect(overwritten.frames.map(\.instructionPointer) == Array(truth.prefix(3)))
            #expect(overwritten.end == end)
            #expect(overwritten.whyIncomplete(in: snapshot) != nil)
        }
    }

    @Test("What the crash's own signal was written over is no caller")
    func overwrittenBySignal() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1"], in: directory)
        var snapshot = try DebuggedProgram(running: [program, "signal"], in: directory).snapshot
        let images = InstalledImages()
        let whole = try #require(
            StackUnwinder(snapshot: snapshot, images: images).unwindException())
        let handler = try #require(whole.frames.firstIndex { $0.isSignalFrame })
        #expect(whole.frames.count > handler + 1)

        // `struct sigcontext` is 40 bytes into `struct ucontext`; rsp and rip are its words 15 and 16:
        // arch/x86/include/uapi/asm/sigcontext.h.
        let stack = try #require(snapshot.threads[0].stack)
        var bytes = stack.bytes.array
        let place = Int(whole.frames[handler].stackPointer + 40 + 8 * 15 - stack.address)
        let crash = whole.frames[0]
        for (index, word) in [crash.stackPointer, crash.instructionPointer].enumerated() {
            let start = place + 8 * index
            bytes.replaceSubrange(
                start..<start + 8, with: (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) })
        }
        snapshot.threads[0].stack = MemoryRegion(address: stack.address, bytes: ByteSlice(bytes))
        let overwritten = try #require(
            StackUnwinder(snapshot: snapshot, images: images).unwindException())
        #expect(overwritten.end == .overwrittenBySignal)
        #expect(overwritten.frames == Array(whole.frames.prefix(handler + 1)))
        #expect(overwritten.whyIncomplete(in: snapshot) != nil)
    }

    @Test(
        "The thread that crashed has a hundred thousand frames and more, others a limit of their own"
    )
    func deepRecursion() {
        let count = Sweep.count(120_000, oneOf: 12)
        #expect(StackUnwinder.crashFrameLimit > 120_000)
        var process = MadeUpProcess(
            stackWords: [], ip: MadeUpProcess.code + 9, fp: MadeUpProcess.stack)
        let address = process.returnAddress(0x100, after: [0xe8, 1, 2, 3, 4])
        let outermost = process.startOfThread(0x200)
        process.stackWords = (1...count).flatMap { index in
            index == count
                ? [0, outermost] : [MadeUpProcess.stack + UInt64(index) * 16, address]
        }
        var snapshot = process.snapshot
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0)
        exception.threadID = 1
        exception.registers = process.registers
        snapshot.exception = exception
        let unwinder = StackUnwinder(snapshot: snapshot, images: NoImages())
        let backtrace = unwinder.unwindException()
        #expect(backtrace?.frames.count == count + 1)
        #expect(backtrace?.end == .reachedEnd)
        let limited = unwinder.unwind(snapshot.threads[0])
        #expect(limited.frames.count == StackUnwinder.defaultFrameLimit)
        #expect(limited.end == .limit(StackUnwinder.defaultFrameLimit))
    }

    @Test(
        "The caller of a linkage stub is found at each of its instructions",
        arguments: [
            // jmp *slot; push $number; jmp head
            ([0xff, 0x25, 1, 0, 0, 0, 0x68, 2, 0, 0, 0, 0xe9, 3, 0, 0, 0], [0, 6], 0),
            ([0xff, 0x25, 1, 0, 0, 0, 0x68, 2, 0, 0, 0, 0xe9, 3, 0, 0, 0], [11], 1),
            // endbr64; push $number; bnd jmp head
            ([0xf3, 0x0f, 0x1e, 0xfa, 0x68, 2, 0, 0, 0, 0xf2, 0xe9, 3, 0, 0, 0, 0], [0, 4], 0),
            ([0xf3, 0x0f, 0x1e, 0xfa, 0x68, 2, 0, 0, 0, 0xf2, 0xe9, 3, 0, 0, 0, 0], [9], 1),
            // push slot; jmp *slot
            ([0xff, 0x35, 1, 0, 0, 0, 0xff, 0x25, 1, 0, 0, 0, 0, 0, 0, 0], [0], 1),
            ([0xff, 0x35, 1, 0, 0, 0, 0xff, 0x25, 1, 0, 0, 0, 0, 0, 0, 0], [6], 2),
        ] as [([UInt8], [UInt64], Int)])
    func linkageStubs(code: [UInt8], offsets: [UInt64], pushed: Int) {
        for offset in offsets {
            var process = MadeUpProcess(
                stackWords: [UInt64](repeating: 7, count: pushed) + [0, 5],
                ip: MadeUpProcess.code + 0x200 + offset)
            process.stackWords[pushed] = process.returnAddress(0x100, after: [0xff, 0xd0])
            process.codeBytes?.replaceSubrange(0x200..<0x210, with: code)
            let frames = process.unwind().frames
            #expect(frames.map(\.foundBy) == [.registers, .returnAddress])
            #expect(frames.last?.stackPointer == MadeUpProcess.stack + UInt64(pushed + 1) * 8)
        }
    }

    @Test("A function that has not made its frame yet does not hide its caller")
    func beforeTheFrame() {
        var process = MadeUpProcess(
            stackWords: [0, 9, 0, 0, 0], ip: MadeUpProcess.code + 0x204,
            fp: MadeUpProcess.stack + 16)
        // call 0x400200, from where the frame pointer still is the caller's
        process.stackWords[0] = process.returnAddress(0x100, after: [0xe8, 0, 1, 0, 0])
        process.stackWords[3] = process.returnAddress(0x300, after: [0xff, 0xd0])
        let backtrace = process.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == [0x400204, 0x400100, 0x400300])
        #expect(
            backtrace.frames.map(\.foundBy) == [.registers, .returnAddress, .framePointer])
    }
}
