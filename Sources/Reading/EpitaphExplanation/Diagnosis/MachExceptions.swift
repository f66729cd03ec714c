// SPDX-License-Identifier: Apache-2.0

/// Exceptions of macOS and iOS by name and in words: mach/exception_types.h, mach/kern_return.h,
/// mach/i386/exception.h.
enum MachExceptions {
    static let badAccess: UInt32 = 1
    private static let software: UInt32 = 5
    private static let crash: UInt32 = 10

    static func exception(_ type: UInt32) -> SignalTable.Entry? { exceptions[type] }

    /// Nil for a code without a name.
    static func codeName(_ code: UInt64, of type: UInt32) -> String? {
        switch type {
        case badAccess: return badAccessCodes[code]
        case software where code == 0x1_0003: return "EXC_SOFT_SIGNAL"
        // The signal that the crash would have been, in bits 24 to 31: sys/kern/kern_exit.c.
        case crash: return signals[code >> 24 & 0xff]
        default: return nil
        }
    }

    private static let exceptions: [UInt32: SignalTable.Entry] = [
        1: .init(name: "EXC_BAD_ACCESS", meaning: "memory could not be accessed"),
        2: .init(name: "EXC_BAD_INSTRUCTION", meaning: "illegal instruction or operand"),
        3: .init(name: "EXC_ARITHMETIC", meaning: "arithmetic error"),
        4: .init(name: "EXC_EMULATION", meaning: "an instruction needs emulation"),
        5: .init(name: "EXC_SOFTWARE", meaning: "an exception made by software"),
        6: .init(name: "EXC_BREAKPOINT", meaning: "breakpoint or trap"),
        10: .init(name: "EXC_CRASH", meaning: "the process ended abnormally"),
        11: .init(name: "EXC_RESOURCE", meaning: "a resource limit was hit"),
        12: .init(name: "EXC_GUARD", meaning: "a guarded resource was misused"),
        13: .init(name: "EXC_CORPSE_NOTIFY", meaning: "the process became a corpse"),
        0x4350_7378: .init(
            name: "simulated exception", meaning: "the program asked for this dump"),
        // kMachExceptionFromNSException, util/mach/mach_extensions.h of Crashpad.
        0xdead_c0de: .init(
            name: "NSException", meaning: "an Objective-C exception that nothing caught"),
    ]

    private static let badAccessCodes: [UInt64: String] = [
        1: "KERN_INVALID_ADDRESS", 2: "KERN_PROTECTION_FAILURE", 9: "KERN_MEMORY_FAILURE",
        10: "KERN_MEMORY_ERROR", 13: "EXC_I386_GPFLT", 50: "KERN_CODESIGN_ERROR",
    ]

    // macOS's numbers, sys/signal.h; SIGBUS and SIGSYS differ from Linux's.
    private static let signals: [UInt64: String] = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
        10: "SIGBUS", 11: "SIGSEGV", 12: "SIGSYS",
    ]
}
