// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import EpitaphUnwinding
import Testing

/// Functions that ended with a tail call and so have no frame between two others, and instruction
/// pointers behind the instruction in question.
struct TailCallTests {
    private static let source = """
        #define KEEP __attribute__((noinline, noclone))
        int *volatile nowhere; volatile int zero;
        static KEEP void last(int n) { *nowhere = n; zero++; }
        static KEEP void middle(int n) { zero = n; last(n + 1); }
        static KEEP void first(int n) { middle(n); zero++; }
        static KEEP void seldom(void) { zero++; *nowhere = 1; }
        static KEEP int split(int n) {
            if (__builtin_expect(n == zero, 1)) { zero = 0; seldom(); __builtin_unreachable(); }
            return n + zero;
        }
        static KEEP void to_split(int n) { zero = n; split(n); }
        static KEEP void breakpoint(void) {
            zero = 3;
            __asm__ volatile("int3");
            zero = 4;
        }
        int main(int count, char **arguments) {
            if (arguments[1][0] == 't') first(count);
            if (arguments[1][0] == 'b') breakpoint();
            if (arguments[1][0] == 's') split(zero);
            if (arguments[1][0] == 'j') { to_split(0); zero++; }
            return zero;
        }

        """

    private func crash(_ way: String) throws -> (Backtrace, [[SourceFrame]], [UInt64]) {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-g"], in: directory, source: Self.source)
        let debugged = try DebuggedProgram(running: [program, way], in: directory)
        let images = InstalledImages()
        var snapshot = debugged.snapshot
        if way == "breakpoint" {
            // SIGTRAP with SI_KERNEL, as the kernel says it.
            snapshot.exception?.signal = 5
            snapshot.exception?.code = 0x80
        }
        let unwinder = StackUnwinder(snapshot: snapshot, images: images)
        let backtrace = try #require(unwinder.unwindException())
        let symbolicator = Symbolicator(snapshot: snapshot, images: images)
        return (
            backtrace, backtrace.frames.map(symbolicator.symbolicate),
            debugged.frames.map(\.instructionPointer)
        )
    }

    @Test("A function that left by a tail call is told between its caller and what it jumped to")
    func tailCall() throws {
        let (backtrace, names, truth) = try crash("tail")
        #expect(backtrace.frames.map(\.instructionPointer) == truth)
        #expect(names.prefix(3).map { $0.last?.function } == ["last", "first", "main"])
        #expect(backtrace.frames.map(\.omission).prefix(3) == [nil, .tailCall, nil])
        #expect(backtrace.frames.dropFirst(3).allSatisfy { $0.omission == nil })
    }

    @Test("A part of a function that stands elsewhere is no tail call")
    func coldPart() throws {
        let (backtrace, _, truth) = try crash("split")
        #expect(backtrace.frames.map(\.instructionPointer) == truth)
        #expect(backtrace.frames.allSatisfy { $0.omission == nil })
    }

    @Test(
        "A tail call to a function whose cold part runs is told",
        .enabled(if: Machine.own == .x86_64))
    func callOfColdPart() throws {
        let (backtrace, names, truth) = try crash("jump")
        #expect(backtrace.frames.map(\.instructionPointer) == truth)
        #expect(names.prefix(3).map { $0.last?.function } == ["seldom", "split", "main"])
        #expect(backtrace.frames.map(\.omission).prefix(3) == [nil, nil, .tailCall])
    }

    @Test("A breakpoint has the line it stands in, not the next one")
    func breakpoint() throws {
        let (backtrace, names, truth) = try crash("breakpoint")
        #expect(backtrace.frames.map(\.instructionPointer) == truth)
        #expect(backtrace.frames[0].lookupAddress == truth[0] - 1)
        let line = Self.source.split(separator: "\n").firstIndex { $0.contains("int3") }
        #expect(names[0].last?.line == line.map { $0 + 1 })
    }
}
