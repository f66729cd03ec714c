// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@Suite(
    "dump-convert show with minidumps that others made",
    .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)))
struct ForeignMinidumpShowTests {
    private func show(_ name: String) throws -> String {
        let result = try dumpConvert("show", ForeignMinidumps.path(name))
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardError == "")
        return result.standardOutput
    }

    @Test(
        "Each is shown with reason, program, crashing thread, registers and modules",
        arguments: [
            ("linux-mini", "SIGSEGV", "Linux", "rip"),
            ("linux_divide_by_zero", "SIGFPE", "Linux", "rip"),
            ("linux_jmp_to_0", "SIGSEGV", "Linux", "rip"),
            ("linux_null_dereference", "SIGSEGV", "Linux", "rip"),
            ("linux_overflow", "SIGABRT", "Linux", "rip"),
            ("linux_raise_sigabrt", "SIGABRT", "Linux", "rip"),
            ("simple-crashpad", "EXC_CRASH", "macOS", "rip"),
            ("thread_name_list", "EXCEPTION_ACCESS_VIOLATION", "Windows", "eip"),
        ])
    func everything(name: String, reason: String, system: String, register: String) throws {
        let text = try show(name)
        #expect(text.contains(reason))
        #expect(text.contains(system))
        #expect(text.contains(" \(register) "))
        #expect(text.contains("Modules:"))
        #expect(text.contains("#0 "))
    }

    @Test(
        "A signal without its code is explained from the instruction and the maps",
        arguments: [
            ("linux_null_dereference", "driver wrote to a null pointer (rax)"),
            ("linux_divide_by_zero", "driver divided an integer by zero (the number at rbp - 0x4)"),
            ("linux_jmp_to_0", "driver called a function through a null pointer"),
            ("linux-mini", "crash wrote to offset 0x45 of a null pointer"),
        ])
    func diagnosis(name: String, headline: String) throws {
        #expect(try show(name).hasPrefix(headline + "\n"))
    }

    @Test("After a jump to 0 the function that jumped is found without any ELF file")
    func jump() throws {
        let text = try show("linux_jmp_to_0")
        #expect(text.contains(/#0 .*0x0000000000000000 in no module/))
        #expect(text.contains(/#1 .*in driver\+0x40213f/))
    }

    @Test("Windows threads have their names")
    func names() throws {
        let text = try show("thread_name_list")
        for name in ["overflow thread", "main thread", "sleep thread"] {
            #expect(text.contains("\"\(name)\""))
        }
    }
}
