// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

/// Stacks of which the dump has the two ends and not the middle; gdb saw all of it.
struct StackGapTests {
    private static let source = """
        #include <pthread.h>
        static __attribute__((noinline)) int down(int n) {
            volatile int here = n;
            if (n == 0) *(volatile int *)0 = 1;
            return down(n - 1) + here;
        }
        // With optimisation it jumps, as libdispatch's functions do that call blocks.
        __attribute__((noinline)) int enter(int (*start)(int), int n) { return start(n); }
        static void *work(void *argument) { return (void *)(long)down(*(int *)argument); }
        int main(int count, char **arguments) {
            int depth = 200;
            if (count < 2) return down(depth);
            if (arguments[1][0] == 'e') return enter(down, depth) + 1;
            pthread_t thread;
            pthread_create(&thread, 0, work, &depth);
            return pthread_join(thread, 0);
        }

        """

    /// A crash, what gdb says of it, and all of its stack.
    private struct Crash {
        var snapshot: ProcessSnapshot
        let truth: [UInt64]
        let whole: Backtrace
        let stack: MemoryRegion
        let thread: Int

        init(_ options: [String], _ arguments: [String] = []) throws {
            let directory = try TemporaryDirectory()
            let program = try CrashingProgram.compile(
                options + ["-pthread"], in: directory, source: source)
            let debugged = try DebuggedProgram(running: [program] + arguments, in: directory)
            snapshot = debugged.snapshot
            truth = debugged.frames.map(\.instructionPointer)
            // The files are gone with the directory: what was opened before stays.
            images = InstalledImages()
            whole = try #require(
                StackUnwinder(snapshot: snapshot, images: images).unwindException())
            let id = snapshot.crashingThread?.id
            thread = try #require(snapshot.threads.firstIndex { $0.id == id })
            stack = try #require(snapshot.threads[thread].stack)
        }

        let images: InstalledImages

        /// Keeps `inner` bytes at the stack pointer, and everything from `outer` on.
        mutating func cut(inner: Int, outer: UInt64) {
            snapshot.memory.removeAll { $0.addressRange.overlaps(stack.addressRange) }
            snapshot.threads[thread].stack = MemoryRegion(
                address: stack.address, bytes: stack.bytes.slice(from: 0, length: inner))
            let offset = Int(outer - stack.address)
            snapshot.memory.append(
                MemoryRegion(address: outer, bytes: stack.bytes.slice(from: offset)))
        }

        func unwind() throws -> Backtrace {
            try #require(StackUnwinder(snapshot: snapshot, images: images).unwindException())
        }
    }

    @Test(
        "The outermost frames follow the innermost ones, and the first says what is left out",
        arguments: [["-O0"], ["-O2", "-fomit-frame-pointer"]], [[], ["thread"], ["enter"]])
    func bothEnds(options: [String], arguments: [String]) throws {
        var crash = try Crash(options, arguments)
        #expect(crash.whole.frames.map(\.instructionPointer) == crash.truth)
        // In the middle of a frame, as the handler cuts.
        let count = crash.truth.count
        let outer = crash.whole.frames[count - 20].stackPointer + 3
        crash.cut(inner: 2_048, outer: outer)
        let backtrace = try crash.unwind()

        let gap = try #require(backtrace.frames.firstIndex { $0.omission != nil })
        let found = backtrace.frames.map(\.instructionPointer)
        #expect(gap > 5)
        #expect(Array(found[..<gap]) == Array(crash.truth[..<gap]))
        let rest = Array(found[gap...])
        #expect(rest.count >= 17)
        #expect(rest == Array(crash.truth.suffix(rest.count)))
        #expect(
            backtrace.frames[gap...]
                == crash.whole.frames.suffix(rest.count).marked(
                    .stackBytes(outer - crash.stack.address - 2_048))[...])
        #expect(backtrace.end == .reachedEnd)
    }

    @Test("Words that are 0 are not taken for the end of a stack")
    func zeros() throws {
        var crash = try Crash(["-O2", "-fomit-frame-pointer"])
        let count = crash.truth.count
        crash.cut(inner: 2_048, outer: crash.whole.frames[count - 20].stackPointer)
        // A return address of a call long ago, below it the frame of one that called nothing, and
        // zeros above: the library's functions keep little on the stack.
        let last = crash.snapshot.memory.count - 1
        var bytes = [UInt8](repeating: 0, count: 4_096)
        for (index, frame) in crash.whole.frames.suffix(4).enumerated() {
            withUnsafeBytes(of: frame.instructionPointer.littleEndian) { word in
                bytes.replaceSubrange(index * 1_000 / 8 * 8..<index * 1_000 / 8 * 8 + 8, with: word)
            }
        }
        crash.snapshot.memory[last].bytes = ByteSlice(bytes)
        #expect(try crash.unwind().frames.allSatisfy { $0.omission == nil })
    }

    @Test("Words that no chain of unwind tables leads from to the outermost frame are not taken")
    func noProof() throws {
        var crash = try Crash(["-O2", "-fomit-frame-pointer"])
        let count = crash.truth.count
        crash.cut(inner: 2_048, outer: crash.whole.frames[count - 20].stackPointer)
        // The last frames are lost, too.
        let end = crash.whole.frames[count - 3].stackPointer
        let last = crash.snapshot.memory.count - 1
        let region = crash.snapshot.memory[last]
        crash.snapshot.memory[last].bytes = region.bytes.slice(
            from: 0, length: Int(end - region.address) - 32)
        let backtrace = try crash.unwind()
        #expect(backtrace.frames.allSatisfy { $0.omission == nil })
        #expect(
            backtrace.frames.map(\.instructionPointer)
                == Array(crash.truth[..<backtrace.frames.count]))
        guard case .noMemory = backtrace.end else {
            Issue.record("the stack ends with \(backtrace.end)")
            return
        }
    }
}

extension ArraySlice<StackFrame> {
    /// The frames, the first of them with what is missing before it.
    fileprivate func marked(_ omission: FrameOmission) -> [StackFrame] {
        var frames = Array(self)
        frames[0].omission = omission
        return frames
    }
}
