// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

@Suite("Why a process died")
struct DeathReasonTests {
    @Test(
        "The headline names signal and code and says what they mean",
        arguments: [
            (11, 1, "SIGSEGV (SEGV_MAPERR): address not mapped to object"),
            (11, 2, "SIGSEGV (SEGV_ACCERR): invalid permissions for mapped object"),
            (7, 2, "SIGBUS (BUS_ADRERR): nonexistent physical address"),
            (8, 1, "SIGFPE (FPE_INTDIV): integer divide by zero"),
            (4, 2, "SIGILL (ILL_ILLOPN): illegal operand"),
            (5, 1, "SIGTRAP (TRAP_BRKPT): process breakpoint"),
            (5, 0x80, "SIGTRAP (SI_KERNEL): trace or breakpoint trap, sent by the kernel"),
            (6, -6, "SIGABRT (SI_TKILL): sent with tkill(2) or tgkill(2)"),
            (3, 0, "SIGQUIT (SI_USER): sent with kill(2)"),
            (24, 0x80, "SIGXCPU (SI_KERNEL): CPU time limit exceeded, sent by the kernel"),
            (25, 0x80, "SIGXFSZ (SI_KERNEL): file size limit exceeded, sent by the kernel"),
            (31, 1, "SIGSYS (SYS_SECCOMP): system call denied by a seccomp filter"),
            (11, 77, "SIGSEGV (code 77): invalid memory reference"),
            (64, 5, "signal 64 (code 5): not a signal Epitaph knows"),
        ] as [(Int32, Int32, String)])
    func headline(signal: Int32, code: Int32, expected: String) {
        #expect(reason(signal, code).headline == expected)
    }

    @Test("All ten signals and their codes are in the tables")
    func coverage() {
        let codeCounts: [Int32: Int32] = [
            3: 0, 4: 9, 5: 6, 6: 0, 7: 5, 8: 8, 11: 10, 24: 0, 25: 0, 31: 2,
        ]
        for (signal, count) in codeCounts {
            #expect(SignalTable.signal(signal) != nil)
            for code in 0..<count {
                let entry = SignalTable.code(code + 1, of: signal)
                #expect(entry != nil, "signal \(signal), code \(code + 1)")
            }
        }
        #expect(SignalTable.code(15, of: 8)?.name == "FPE_CONDTRAP")
    }

    @Test("An address is only given where the kernel gave one")
    func address() {
        #expect(reason(11, 1, address: 0x10).address == 0x10)
        #expect(reason(8, 1, address: 0x40_1234).address == 0x40_1234)
        #expect(reason(11, 0, address: 0x10).address == nil)
        #expect(reason(11, 0x80).address == nil)
        #expect(reason(6, -6, address: 0x10).address == nil)
    }

    @Test("A sender is told for signals that were sent, and abort() is the process itself")
    func sender() {
        var snapshot = Sample.crash()
        var exception = ExceptionSnapshot(signal: 11, code: 0, address: 0)
        exception.senderProcessID = 1234
        exception.senderUserID = 0
        snapshot.exception = exception
        #expect(Sample.text(snapshot).contains("  Sent by     process 1234, user 0\n"))
        snapshot.exception?.senderProcessID = 4711
        #expect(Sample.text(snapshot).contains("  Sent by     the process itself\n"))
        snapshot.exception?.code = 1
        #expect(!Sample.text(snapshot).contains("Sent by"))
    }

    @Test(
        "The page-fault error code tells what the instruction did",
        arguments: [(4, .read), (6, .write), (7, .write), (0x14, .execute), (0x15, .execute)]
            as [(UInt64, DeathReason.Access)])
    func access(errorCode: UInt64, expected: DeathReason.Access) {
        var exception = ExceptionSnapshot(signal: 11, code: 2, address: 0x10)
        var registers = X86Registers()
        registers.trapNumber = 14
        registers.errorCode = errorCode
        exception.registers = .x86_64(registers)
        #expect(DeathReason(exception, of: Sample.crash()).access == expected)
        registers.trapNumber = 13
        exception.registers = .x86_64(registers)
        #expect(DeathReason(exception, of: Sample.crash()).access == nil)
    }

    @Test(
        "The syndrome of aarch64 tells what the instruction did",
        arguments: [
            (0x9200_0046, .write), (0x9200_0006, .read), (0x9200_0146, .read),
            (0x8200_0006, .execute), (0x5600_0000, nil), (0, nil),
        ] as [(UInt64, DeathReason.Access?)])
    func access(syndrome: UInt64, expected: DeathReason.Access?) {
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        var registers = ARM64Registers()
        registers.syndrome = syndrome
        exception.registers = .aarch64(registers)
        let arm = ProcessSnapshot(architecture: .aarch64)
        #expect(DeathReason(exception, of: arm).access == expected)
        // Of an earlier fault.
        exception.code = 0
        #expect(DeathReason(exception, of: arm).access == nil)
    }

    @Test("SIGSEGV of the kernel at address 0 is explained, with the registers that are suspect")
    func nonCanonicalAddress() {
        var exception = ExceptionSnapshot(signal: 11, code: 0x80, address: 0)
        var registers = X86Registers()
        registers.rax = 0xdead_beef_dead_beef
        registers.rbx = 0x0000_7fff_ffff_ffff
        registers.rcx = 0x0000_8000_0000_0000
        registers.rdx = 0xffff_8000_0000_0000
        exception.registers = .x86_64(registers)
        let notes = DeathReason(exception, of: Sample.crash()).notes
        #expect(notes.count == 2)
        #expect(notes.first?.contains("not canonical") == true)
        #expect(
            notes.last == "Not canonical: rax = 0xdeadbeefdeadbeef, rcx = 0x0000800000000000.")

        let arm = ProcessSnapshot(architecture: .aarch64)
        #expect(DeathReason(exception, of: arm).notes.isEmpty)
    }

    @Test("A seccomp violation names the system call's number")
    func deniedSystemCall() {
        var info = [UInt8](repeating: 0, count: 128)
        info[24] = 59
        var exception = ExceptionSnapshot(signal: 31, code: 1, address: 0x40_1000)
        exception.signalInfo = ByteSlice(info)
        #expect(DeathReason(exception, of: Sample.crash()).systemCall == 59)
        exception.signalInfo = ByteSlice(Array(info.prefix(26)))
        #expect(DeathReason(exception, of: Sample.crash()).systemCall == nil)
    }

    private func reason(_ signal: Int32, _ code: Int32, address: UInt64 = 0) -> DeathReason {
        let exception = ExceptionSnapshot(signal: signal, code: code, address: address)
        return DeathReason(exception, of: ProcessSnapshot(architecture: .aarch64))
    }
}
