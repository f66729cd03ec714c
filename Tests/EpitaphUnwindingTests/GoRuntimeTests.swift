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
