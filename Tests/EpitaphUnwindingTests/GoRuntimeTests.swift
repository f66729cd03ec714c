// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Testing

/// Stacks as Go's runtime makes them, and its linker's compressed tables.
struct GoRuntimeTests {
    private typealias Crash = CorroborationTests.Crash

    /// A goroutine that ends in goexit has called `load`, whose first instruction faulted: the fault's
    /// handler pushed its address and went on in sigpanic.
    private static func source(_ table: String, _ outer: String) -> String {
        """
        #define FUNCTION(name, code) __asm__(".type " name ",@function\\n" name ":\\n" \
            ".cfi_startproc\\n" code "\\n.cfi_endproc\\n.size " name ", .-" name "\\n")
        __asm__(".cfi_sections .debug_frame\\n.section \(table),\\"a\\"\\n.long 0\\n.text\\n");
        FUNCTION("runtime.sigpanic", "ud2");
        FUNCTION("load", "jmp fault");
        FUNCTION("\(outer)", "call load\\nud2");
        FUNCTION("runtime.goexit.abi0", "nop\\ncall abort");
        __asm__("fault: lea load(%rip), %rax\\npush %rax\\njmp runtime.sigpanic\\n");
        int main(void) {
            __asm__ volatile("lea runtime.goexit.abi0+1(%rip), %rax\\npush %rax\\njmp \(outer)");
            return 0;
        }

        """
    }

    private func unwound(
        table: String = ".gopclntab", outer: String = "first"
    ) throws -> (functions: [String?], end: Backtrace.End) {
        let crash = try Crash(
            Self.source(table, outer), ["-Wl,--compress-debug-sections=zlib"])
        let backtrace = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException())
        return (backtrace.frames.map(crash.function), backtrace.end)
    }

    @Test("A fault in Go code and the start of its goroutine are followed without a call")
    func goroutine() throws {
        let (functions, end) = try unwound()
        #expect(functions == ["runtime.sigpanic", "load", "first", "runtime.goexit.abi0"])
        #expect(end == .reachedEnd)
    }

    @Test(
        "Behind a function that changes stacks nothing is told",
        arguments: ["runtime.systemstack.abi0", "runtime.mcall", "runtime.asmcgocall.abi0"])
    func otherStack(function: String) throws {
        let (functions, end) = try unwound(outer: function)
        #expect(functions == ["runtime.sigpanic", "load", function])
        #expect(end == .changedStack)
    }

    /// systemstack notes the goroutine's stack in its descriptor, which it gives to what it calls.
    private static let switching = """
        __asm__(".cfi_sections .debug_frame\\n.section .gopclntab,\\"a\\"\\n.long 0\\n.text\\n");
        unsigned long *goroutine;
        __asm__(".type runtime.systemstack_switch,@function\\nruntime.systemstack_switch: ret\\n"
            ".size runtime.systemstack_switch, 1\\n"
            ".type load,@function\\nload: .cfi_startproc\\nud2\\n.cfi_endproc\\n.size load, .-load\\n"
            ".type runtime.systemstack,@function\\nruntime.systemstack: .cfi_startproc\\n"
            "mov goroutine(%rip), %rax\\nmov %rsp, 56(%rax)\\nmov %rax, 72(%rax)\\n"
            "lea runtime.systemstack_switch(%rip), %rcx\\nmov %rcx, 64(%rax)\\n"
            "mov %rbp, 104(%rax)\\nlea -4096(%rsp), %rsp\\npush %rax\\ncall load\\nud2\\n"
            ".cfi_endproc\\n.size runtime.systemstack, .-runtime.systemstack\\n");
        void on_other(void) __asm__("runtime.systemstack");
        volatile int zero;
        __attribute__((noinline)) void end(void) { on_other(); zero++; }
        __attribute__((noinline)) void work(void) { end(); zero++; }
        int main(void) {
            unsigned long descriptor[16] = {0, -1ul};
            goroutine = descriptor;
            work();
            return zero;
        }

        """

    @Test("The stack that systemstack left is followed where it noted it, as likely")
    func leftStack() throws {
        let crash = try Crash(Self.switching, [])
        let backtrace = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException())
        let functions = backtrace.frames.map(crash.function)
        #expect(functions.prefix(4) == ["load", "runtime.systemstack", "work", "main"])
        #expect(backtrace.frames.dropFirst(2).first?.foundBy == .framePointer)
        #expect(backtrace.end == .reachedEnd)
    }

    @Test("In a program without Go's table of functions such names mean nothing")
    func otherProgram() throws {
        let (functions, end) = try unwound(table: ".table")
        #expect(functions.prefix(1) == ["runtime.sigpanic"])
        #expect(end != .reachedEnd)
    }

    @Test(
        "A compressed section that is broken, too large or of another form is not read",
        arguments: [(1, 5), (1, 1 << 40), (2, 5), (1, 0)] as [(UInt32, UInt64)])
    func broken(form: UInt32, size: UInt64) {
        var section = ByteBuilder()
        section.append(form)
        section.append(UInt32(0))
        section.append(size)
        section.append(UInt64(1))
        // A block of deflate that is stored and has other bytes than its checksum: RFC 1950.
        for byte: UInt8 in [0x78, 0x01, 1, 5, 0, 0xfa, 0xff, 1, 2, 3, 4, 5, 0, 0, 0, 0] {
            section.append(byte)
        }
        #expect(InflatedBytes.section(ByteSlice(section.bytes)) == nil)
    }
}
