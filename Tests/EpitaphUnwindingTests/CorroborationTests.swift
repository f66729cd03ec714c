// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// Frames that no unwind table proves: what else must speak for them.
struct CorroborationTests {
    /// `plugin_run` and `plugin_copy` have no tables and make no frames.
    private static let plugin = """
        #define KEEP __attribute__((noinline))
        volatile int zero; int *volatile nowhere;
        KEEP void touch(void) { *nowhere = 1; zero++; }
        void (*volatile reader)(void) = touch;
        __asm__(".text\\n.type plugin_run,@function\\nplugin_run: sub $24, %rsp\\n"
            "call plugin_copy\\nadd $24, %rsp\\nret\\n.size plugin_run, .-plugin_run\\n"
            ".type plugin_copy,@function\\nplugin_copy: sub $8, %rsp\\n"
            "call *reader(%rip)\\nadd $8, %rsp\\nret\\n.size plugin_copy, .-plugin_copy\\n");
        void plugin_run(void);
        KEEP void handle(void) { plugin_run(); zero++; }
        void (*volatile handler)(void) = handle;
        KEEP void serve(void) { CALL(); zero++; }
        int main(void) { serve(); return zero; }

        """

    /// Leaves the frames of `validate` and `parse` where those of `wait` come to lie.
    private static let stale = """
        #define KEEP __attribute__((noinline))
        volatile int zero; int *volatile nowhere;
        KEEP int parse(int depth) {
            volatile char room[200]; room[depth] = (char)depth;
            if (depth > 0) zero += parse(depth - 1);
            return room[zero];
        }
        KEEP int validate(void) { int found = parse(6); zero += found; return found; }
        KEEP void touch(void) { *nowhere = 1; zero++; }
        KEEP void wait(void) { volatile char room[1000]; touch(); zero += room[zero]; }
        KEEP void work(void) { zero += validate(); wait(); zero++; }
        int main(void) { work(); return zero; }

        """

    struct Crash {
        var snapshot: ProcessSnapshot
        let truth: [UInt64]
        let images = InstalledImages()
        private let symbols: ELFSymbolTable
        private let bias: UInt64

        init(_ source: String, _ options: [String], compiler: String = "clang") throws {
            let directory = try TemporaryDirectory()
            let program = try CrashingProgram.compile(
                options + ["-O1", "-fno-omit-frame-pointer"], in: directory, source: source,
                compiler: compiler)
            let debugged = try DebuggedProgram(running: [program], in: directory)
            snapshot = debugged.snapshot
            truth = debugged.frames.map(\.instructionPointer)
            let module = try #require(
                debugged.snapshot.modules.first { $0.path == program })
            let image = try ELFImage(try ForeignFile.contents(of: program))
            symbols = ELFSymbolTable(image)
            bias = image.loadBias(in: module)
            // The file goes with its directory: what was opened before stays.
            _ = StackUnwinder(snapshot: snapshot, images: images).unwindException()
        }

        /// Of a thread that waits in a system call, the kernel tells instruction and stack pointer.
        func unwindWithoutFramePointer() throws -> Backtrace {
            var thread = snapshot.threads[0]
            let registers = try #require(thread.registers)
            thread.registers = .pointers(
                instruction: registers.instructionPointer, stack: registers.stackPointer)
            return StackUnwinder(snapshot: snapshot, images: images).unwind(thread)
        }

        func function(of frame: StackFrame) -> String? {
            symbols.symbol(containing: frame.lookupAddress &- bias)?.name
        }
    }

    private static let library = """
        #define KEEP __attribute__((noinline))
        volatile int ticks; int *volatile nothing;
        static KEEP int decode(int size) { if (size) *nothing = size; ticks++; return size; }
        static KEEP int read_all(int size) { int more = decode(size); ticks += more; return more; }
        KEEP int plugin_read(int size) { int more = read_all(size); ticks += more; return more; }

        """

    private static let caller = """
        #define KEEP __attribute__((noinline))
        volatile int zero; int plugin_read(int);
        KEEP void handle(void) { zero += plugin_read(4); zero++; }
        KEEP void serve(void) { handle(); zero++; }
        int main(void) { serve(); return zero; }

        """

    @Test(
        "A call by way of a slot of the dynamic linker proves its caller",
        arguments: [["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt"], ["-fcf-protection"]])
    func linkageSlots(options: [String]) throws {
        let directory = try TemporaryDirectory()
        // Neither tables nor frame pointers nor symbols of what it does not export.
        let library = try CrashingProgram.compile(
            [
                "-shared", "-fPIC", "-s", "-O1", "-fomit-frame-pointer", "-fno-unwind-tables",
                "-fno-asynchronous-unwind-tables",
            ], in: directory, source: Self.library)
        try FileManager.default.moveItem(atPath: library, toPath: directory.path("plugin.so"))
        let crash = try withExtendedLifetime(directory) {
            try Crash(Self.caller, options + [directory.path("plugin.so")])
        }
        let frames = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException()
        ).frames
        let functions = frames.compactMap { crash.function(of: $0) }
        #expect(functions.starts(with: ["handle", "serve", "main"]))
        #expect(frames.prefix(4).allSatisfy { $0.foundBy != .framePointer })
    }

    @Test(
        "A frame pointer from further out does not hide functions that made no frame",
        // A call through a pointer does not say that it led to another function.
        arguments: ["handle", "handler"])
    func frameOfAnother(call: String) throws {
        let crash = try Crash(Self.plugin, ["-DCALL=\(call)"])
        let frames = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException()
        ).frames
        #expect(
            frames.prefix(6).map { crash.function(of: $0) }
                == ["touch", "plugin_copy", "plugin_run", "handle", "serve", "main"])
        #expect(
            frames.prefix(6).map(\.foundBy) == [
                .registers, .unwindTable, .calledFrame, .calledFrame, .unwindTable, .unwindTable,
            ])
    }

    @Test("Without tables a function's code is proof where the call names the function")
    func calledFunction() throws {
        let crash = try Crash(
            Self.stale, ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"])
        let frames = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException()
        ).frames
        #expect(
            frames.prefix(4).map { crash.function(of: $0) } == ["touch", "wait", "work", "main"])
        #expect(
            frames.prefix(4).map(\.foundBy) == [
                .registers, .calledFrame, .calledFrame, .calledFrame,
            ])
    }

    private static let coroutine = """
        #include <ucontext.h>
        volatile int zero; int *volatile nowhere;
        static void crash(void) { *nowhere = 1; zero++; }
        int main(void) {
            static char stack[1 << 16];
            static ucontext_t here, there;
            getcontext(&there);
            there.uc_stack.ss_sp = stack;
            there.uc_stack.ss_size = sizeof stack;
            there.uc_link = &here;
            makecontext(&there, crash, 0);
            swapcontext(&here, &there);
            return zero;
        }

        """

    @Test("A coroutine's first function is not the first of its thread")
    func startOfCoroutine() throws {
        let crash = try Crash(Self.coroutine, [])
        let backtrace = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException())
        // gdb goes on, to what is no code.
        #expect(backtrace.frames.map(\.instructionPointer) == Array(crash.truth.prefix(2)))
        #expect(backtrace.end == .startOfCoroutine)
        #expect(backtrace.whyIncomplete(in: crash.snapshot) == nil)
    }

    @Test(
        "Above main, musl's start is followed to the program's, though neither has tables",
        .enabled(if: Toolchain.executable("musl-gcc") != nil, "musl-gcc is missing"),
        arguments: [("return touch(&count), zero;", "main"), (threadOfMain, "run")])
    func startOfLibrary(start: String, function: String) throws {
        let source = Self.muslStart + "int main(int count, char **arguments) { \(start) }\n"
        let crash = try Crash(source, ["-pthread"], compiler: "musl-gcc")
        let backtrace = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException())
        #expect(
            backtrace.frames.prefix(2).map { crash.function(of: $0) } == ["touch", function])
        // libc's start, and what called the function that jumped there.
        #expect(backtrace.frames.count == 4)
        #expect(backtrace.frames.last?.foundBy == .stackScan)
        #expect(backtrace.end == .reachedEnd)
    }

    private static let threadOfMain =
        "pthread_t other; pthread_create(&other, 0, run, 0); return pthread_join(other, 0);"
    private static let muslStart = """
        #include <pthread.h>
        volatile int zero; int *volatile nowhere;
        __attribute__((noinline)) void touch(void *seen) { zero++; *nowhere = seen != 0; zero++; }
        void *run(void *argument) { touch(&argument); zero++; return 0; }

        """

    @Test("Frames that returned long ago are no callers, though they lead into those that live")
    func staleFrames() throws {
        let crash = try Crash(Self.stale, [])
        let backtrace = try crash.unwindWithoutFramePointer()
        #expect(backtrace.frames.map(\.instructionPointer) == crash.truth)
        #expect(backtrace.frames[1].foundBy == .calledFrame)
        #expect(backtrace.end == .reachedEnd)
    }

    /// Each function is called through a pointer, and some by a jump table.
    private static let pointed = """
        #define KEEP __attribute__((noinline))
        volatile int zero; int *volatile nowhere;
        KEEP void touch(void) { *nowhere = 1; zero++; }
        void (*volatile pointer)(void) = touch;
        KEEP void read_it(void) { volatile char room[300]; room[zero] = 1; pointer(); zero++; }
        void (*volatile reader)(void) = read_it;
        KEEP void parse(int how) {
            switch (how) {
            case 0: zero++; break;
            case 1: nowhere++; break;
            case 2: reader = 0; break;
            case 3: zero += 4; break;
            case 4: zero -= 2; break;
            case 5: reader(); zero++; break;
            }
            zero++;
        }
        void (*volatile parser)(int) = parse;
        int main(void) { parser(5 + zero); return zero; }

        """

    @Test(
        "The code of functions tells their frames where the frame pointer is unknown",
        arguments: [[], ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]])
    func framesByCode(options: [String]) throws {
        let crash = try Crash(Self.pointed, options)
        let frames = try crash.unwindWithoutFramePointer().frames
        #expect(
            frames.prefix(4).map { crash.function(of: $0) } == [
                "touch", "read_it", "parse", "main",
            ])
        // Without tables only the code speaks for a call through a pointer.
        #expect(frames[1].foundBy == (options.isEmpty ? .calledFrame : .stackScan))
    }

    /// `earlier` has returned; its frame is intact inside that of `handle`, whose size varies, and
    /// leads into `serve` like a true one. `touch` keeps the frame pointer of `handle`.
    private static let variable = """
        #include <alloca.h>
        #define KEEP __attribute__((noinline))
        volatile int zero;
        void touch(void);
        __asm__(".text\\n.type touch,@function\\ntouch: movl $1, 0\\nret\\n.size touch, .-touch\\n");
        KEEP int size(void) { return 400 + zero; }
        KEEP void other(void) { volatile char room[100]; room[zero] = 1; }
        void (*volatile pointer)(void) = other;
        KEEP void earlier(void) {
            volatile char room[100]; room[zero] = 1; pointer(); zero += room[zero]; zero = 0;
        }
        KEEP void handle(void) {
            volatile char *room = alloca(SIZE); room[zero] = 1; touch(); zero += room[zero];
        }
        void (*volatile handler)(void) = earlier;
        KEEP void serve(void) { handler(); handler = handle; handler(); zero++; }
        int main(void) { serve(); return zero; }

        """

    @Test("What an earlier call left inside a frame of variable size is no caller")
    func variableFrame() throws {
        let crash = try Crash(Self.variable, ["-DSIZE=400 + zero"])
        let frames = try crash.unwindWithoutFramePointer().frames
        #expect(frames.prefix(2).map { crash.function(of: $0) } == ["touch", "handle"])
        let certain = frames.filter { $0.foundBy != .stackGuess }
        #expect(!certain.contains { crash.function(of: $0) == "earlier" })
    }

    @Test("Return addresses of a function's own earlier calls show where its frame is")
    func markedFrame() throws {
        let crash = try Crash(Self.variable, ["-DSIZE=size()"])
        let frames = try crash.unwindWithoutFramePointer().frames
        #expect(
            frames.prefix(4).map { crash.function(of: $0) } == [
                "touch", "handle", "serve", "main",
            ])
        #expect(frames[2].foundBy == .stackScan)
    }

    /// A signal interrupts code without table, symbol and frame, as musl's `raise` has it, while rbp
    /// points to what looks like a frame.
    private static let interrupted = """
        #include <alloca.h>
        #include <signal.h>
        #define KEEP __attribute__((noinline))
        volatile int zero;
        void *word;
        void touch(void);
        void raiser(void);
        __asm__(".text\\n.type touch,@function\\ntouch: movl $1, 0\\nret\\n.size touch, .-touch\\n"
            ".type raiser,@function\\nraiser: pushq %rbp\\n.rept 8\\npushq $0\\n.endr\\n"
            "pushq word(%rip)\\nleaq 24(%rsp), %rax\\npushq %rax\\nmovq %rsp, %rbp\\n"
            "call .Lsend\\n"
            "addq $80, %rsp\\npopq %rbp\\nret\\n.size raiser, .-raiser\\n"
            ".Lsend: movl $39, %eax\\nsyscall\\nmovl %eax, %edi\\nmovl $10, %esi\\n"
            "movl $62, %eax\\nsyscall\\nret\\n");
        KEEP void handle(void) {
            volatile char *room = alloca(400 + zero); room[zero] = 1; touch(); zero += room[zero];
        }
        KEEP void on_signal(int number) { handle(); zero += number; }
        KEEP void note(void) { word = __builtin_return_address(0); }
        int main(void) { signal(SIGUSR1, on_signal); note(); raiser(); return zero; }

        """

    @Test(
        "A frame pointer that interrupted code without a frame kept is no evidence against a call")
    func interruptedWithoutFrame() throws {
        let crash = try Crash(Self.interrupted, [])
        let frames = try crash.unwindWithoutFramePointer().frames
        #expect(
            frames.prefix(3).map { crash.function(of: $0) } == ["touch", "handle", "on_signal"])
    }
}
