// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

/// Unwinding with the tables of real files; gdb knows the truth.
struct UnwindTableTests {
    @Test("A cut stack and missing registers leave a true part of the backtrace")
    func lessThanAll() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-fomit-frame-pointer"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "abort"], in: directory)
        let truth = debugged.frames.map(\.instructionPointer)
        let images = InstalledImages()
        var thread = try #require(debugged.snapshot.threads.first)
        let whole = StackUnwinder(snapshot: debugged.snapshot, images: images).unwind(thread)
        #expect(whole.frames.map(\.instructionPointer) == truth)
        #expect(whole.frames.dropFirst().allSatisfy { $0.foundBy == .unwindTable })

        let stack = try #require(thread.stack)
        for count in stride(from: 0, to: 1_600, by: 40) {
            var snapshot = debugged.snapshot
            snapshot.threads[0].stack = MemoryRegion(
                address: stack.address, bytes: stack.bytes.slice(from: 0, length: count))
            let cut = StackUnwinder(snapshot: snapshot, images: images).unwind(thread)
            let found = cut.frames.map(\.instructionPointer)
            #expect(found == Array(truth.prefix(found.count)))
            guard found.count < truth.count else { continue }
            guard case .noMemory = cut.end else {
                Issue.record("\(count) bytes of stack end with \(cut.end)")
                continue
            }
        }

        let registers = try #require(thread.registers)
        thread.registers = .pointers(
            instruction: registers.instructionPointer, stack: registers.stackPointer)
        let partial = StackUnwinder(snapshot: debugged.snapshot, images: images).unwind(thread)
        #expect(partial.frames.count > 3)
        #expect(partial.frames.map(\.instructionPointer).prefix(4) == truth.prefix(4))
    }

    @Test("The kernel's own library is left by its table, which another kernel's dump has itself")
    func vdso() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "vdso"], in: directory)
        let truth = debugged.frames.map(\.instructionPointer)
        var snapshot = debugged.snapshot
        let images = InstalledImages()
        let backtrace = try #require(
            StackUnwinder(snapshot: snapshot, images: images).unwindException())
        let index = try #require(backtrace.frames[0].moduleIndex)
        #expect(snapshot.modules[index].kind == .vdso)
        #expect(backtrace.frames.map(\.instructionPointer) == truth)
        #expect(backtrace.frames[1].foundBy == .unwindTable)

        // As on another kernel: this machine's is another one, and the image is in the dump.
        snapshot.modules[index].buildID = [1, 2, 3]
        let foreign = try #require(
            StackUnwinder(snapshot: snapshot, images: images).unwindException())
        #expect(foreign.frames.map(\.instructionPointer) == truth)
        #expect(foreign.frames[1].foundBy == .unwindTable)
    }

    @Test("Deep recursion is cut at the limit")
    func deepRecursion() throws {
        let directory = try TemporaryDirectory()
        let source = """
            static __attribute__((noinline)) int down(int n) {
                volatile int here = n;
                if (n == 0) *(volatile int *)0 = 1;
                return down(n - 1) + here;
            }
            int main(void) { return down(30); }

            """
        let program = try CrashingProgram.compile(["-O1"], in: directory, source: source)
        let debugged = try DebuggedProgram(running: [program], in: directory)
        let unwinder = StackUnwinder(
            snapshot: debugged.snapshot, images: InstalledImages(), frameLimit: 25)
        let backtrace = try #require(unwinder.unwindException())
        #expect(backtrace.frames.count == 25)
        #expect(backtrace.end == .limit(25))
    }
}
