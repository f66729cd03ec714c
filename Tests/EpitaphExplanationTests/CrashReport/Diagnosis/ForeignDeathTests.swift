// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

@Suite("Deaths on other systems")
struct ForeignDeathTests {
    private func reason(
        _ system: OperatingSystem, _ code: UInt32, flags: UInt32 = 0, address: UInt64 = 0,
        _ parameters: [UInt64] = []
    ) -> DeathReason {
        var exception = ExceptionSnapshot(signal: 0, code: 0, address: 0)
        exception.foreign = ForeignException(
            system: system, code: code, flags: flags, address: address, parameters: parameters)
        return DeathReason(exception, of: ProcessSnapshot(architecture: .x86_64))
    }

    @Test("A Mach exception has its own name, never that of the signal with its number")
    func mach() {
        let access = reason(.macOS, 1, flags: 1, address: 0x10)
        #expect(
            access.headline == "EXC_BAD_ACCESS (KERN_INVALID_ADDRESS): memory could not be accessed"
        )
        #expect(access.address == 0x10)
        #expect(
            reason(.macOS, 0, [10, 0x600_0000, 0]).headline
                == "EXC_CRASH (SIGABRT): the process ended abnormally")
        #expect(reason(.macOS, 11).headline == "EXC_RESOURCE (code 0): a resource limit was hit")
        #expect(
            reason(.iOS, 0x4350_6e78).headline
                == "NSException (code 0): an Objective-C exception that nothing caught")
        #expect(
            reason(.iOS, 77, flags: 3).headline
                == "Mach exception 77 (code 3): not an exception Epitaph knows")
    }

    @Test("A Windows exception says what was done with which address")
    func windows() {
        let violation = reason(.windows, 0xc000_0005, address: 0x40_15fd, [1, 0xf1004])
        #expect(
            violation.headline
                == "EXCEPTION_ACCESS_VIOLATION (0xc0000005): memory could not be accessed")
        #expect(violation.address == 0xf1004)
        #expect(violation.access == .write)
        let overflow = reason(.windows, 0xc000_00fd, address: 0x40_15fd, [1, 2])
        #expect(overflow.headline == "EXCEPTION_STACK_OVERFLOW (0xc00000fd): stack overflow")
        #expect(overflow.address == 0x40_15fd)
        #expect(overflow.access == nil)
        #expect(
            reason(.windows, 0xc0de).headline
                == "exception (0xc0de): not an exception Epitaph knows")
    }

    @Test("Of a signal without its code only the signal's own meaning is told")
    func unknownCode() {
        var exception = ExceptionSnapshot(signal: 11, code: 0, address: 0x45)
        exception.isCodeKnown = false
        let reason = DeathReason(exception, of: ProcessSnapshot(architecture: .x86_64))
        #expect(reason.headline == "SIGSEGV: invalid memory reference")
        #expect(reason.address == 0x45)
        #expect(reason.sender == nil)
        #expect(reason.codeName == nil)
    }
}
