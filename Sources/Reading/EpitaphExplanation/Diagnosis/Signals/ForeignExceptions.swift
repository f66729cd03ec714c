// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Deaths on systems without Linux signals, in those systems' terms.

extension DeathReason {
    init(_ exception: ForeignException) {
        switch exception.system {
        case .macOS, .iOS: self.init(mach: exception)
        case .windows: self.init(windows: exception)
        default:
            self.init(
                signalName: "exception " + exception.code.hex, codeName: nil,
                code: Int32(bitPattern: exception.flags),
                meaning: "an exception of \(exception.system.name), which Epitaph has no words for")
            address = exception.address
        }
    }

    private init(signalName: String, codeName: String?, code: Int32, meaning: String) {
        self.signalName = signalName
        self.codeName = codeName
        self.code = code
        self.meaning = meaning
    }

    /// Crashpad's and Breakpad's form: first code as flags, exception and codes as parameters.
    private init(mach exception: ForeignException) {
        var type = exception.code
        var code = UInt64(exception.flags)
        // Crashpad decodes EXC_CRASH; without another exception inside, use the parameters.
        if type == 0, exception.parameters.count >= 2 {
            type = UInt32(truncatingIfNeeded: exception.parameters[0])
            code = exception.parameters[1]
        }
        let entry = MachExceptions.exception(type)
        self.init(
            signalName: entry?.name ?? "Mach exception \(type)",
            codeName: MachExceptions.codeName(code, of: type),
            code: Int32(truncatingIfNeeded: code),
            meaning: entry?.meaning ?? "not an exception Epitaph knows")
        // The second code of EXC_BAD_ACCESS is the address.
        if type == MachExceptions.badAccess { address = exception.address }
    }

    private init(windows exception: ForeignException) {
        let entry = WindowsExceptions.exception(exception.code)
        self.init(
            signalName: entry?.name ?? "exception",
            codeName: exception.code.hex, code: Int32(bitPattern: exception.code),
            meaning: entry?.meaning ?? "not an exception Epitaph knows")
        address = exception.address
        guard WindowsExceptions.hasAccess(exception.code), exception.parameters.count >= 2 else {
            return
        }
        address = exception.parameters[1]
        switch exception.parameters[0] {
        case 0: access = .read
        case 1: access = .write
        case 8: access = .execute
        default: break
        }
    }
}

/// macOS and iOS exceptions: mach/exception_types.h, mach/kern_return.h, mach/i386/exception.h.
enum MachExceptions {
    static let badAccess: UInt32 = 1
    private static let software: UInt32 = 5
    private static let crash: UInt32 = 10

    static func exception(_ type: UInt32) -> SignalTable.Entry? { exceptions[type] }

    /// kMachExceptionFromNSException, util/mach/mach_extensions.h of Crashpad, and its older value.
    static func isFromNSException(_ type: UInt32) -> Bool {
        [0x4350_6e78, 0xdead_c0de].contains(type)
    }

    static func codeName(_ code: UInt64, of type: UInt32) -> String? {
        switch type {
        case badAccess: return badAccessCodes[code]
        case software where code == 0x1_0003: return "EXC_SOFT_SIGNAL"
        // The signal of the crash is in bits 24 to 31: XNU's bsd/kern/kern_exit.c.
        case crash: return signals[code >> 24 & 0xff]
        default: return nil
        }
    }

    private static let exceptions: [UInt32: SignalTable.Entry] = [
        1: .init("EXC_BAD_ACCESS", "memory could not be accessed"),
        2: .init("EXC_BAD_INSTRUCTION", "illegal instruction or operand"),
        3: .init("EXC_ARITHMETIC", "arithmetic error"),
        4: .init("EXC_EMULATION", "an instruction needs emulation"),
        5: .init("EXC_SOFTWARE", "an exception made by software"),
        6: .init("EXC_BREAKPOINT", "breakpoint or trap"),
        10: .init("EXC_CRASH", "the process ended abnormally"),
        11: .init("EXC_RESOURCE", "a resource limit was hit"),
        12: .init("EXC_GUARD", "a guarded resource was misused"),
        13: .init("EXC_CORPSE_NOTIFY", "the process became a corpse"),
        0x4350_7378: .init("simulated exception", "the program asked for this dump"),
        0x4350_6e78: uncaught, 0xdead_c0de: uncaught,
    ]

    private static let uncaught = SignalTable.Entry(
        "NSException", "an Objective-C exception that nothing caught")

    private static let badAccessCodes: [UInt64: String] = [
        1: "KERN_INVALID_ADDRESS", 2: "KERN_PROTECTION_FAILURE", 9: "KERN_MEMORY_FAILURE",
        10: "KERN_MEMORY_ERROR", 13: "EXC_I386_GPFLT", 50: "KERN_CODESIGN_ERROR",
    ]

    // macOS numbers, sys/signal.h; SIGBUS and SIGSYS differ from Linux's.
    private static let signals: [UInt64: String] = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
        10: "SIGBUS", 11: "SIGSEGV", 12: "SIGSYS",
    ]
}

/// Windows exception codes: winnt.h, ntstatus.h.
enum WindowsExceptions {
    static func exception(_ code: UInt32) -> SignalTable.Entry? { exceptions[code] }

    static func hasAccess(_ code: UInt32) -> Bool {
        // EXCEPTION_ACCESS_VIOLATION, EXCEPTION_IN_PAGE_ERROR
        code == 0xc000_0005 || code == 0xc000_0006
    }

    private static let exceptions: [UInt32: SignalTable.Entry] = [
        0x8000_0001: .init("EXCEPTION_GUARD_PAGE", "a guard page was touched"),
        0x8000_0002: .init("EXCEPTION_DATATYPE_MISALIGNMENT", "invalid address alignment"),
        0x8000_0003: .init("EXCEPTION_BREAKPOINT", "breakpoint"),
        0x8000_0004: .init("EXCEPTION_SINGLE_STEP", "single step"),
        0xc000_0005: .init("EXCEPTION_ACCESS_VIOLATION", "memory could not be accessed"),
        0xc000_0006: .init("EXCEPTION_IN_PAGE_ERROR", "a page could not be read in"),
        0xc000_0008: .init("EXCEPTION_INVALID_HANDLE", "invalid handle"),
        0xc000_0017: .init("STATUS_NO_MEMORY", "out of memory"),
        0xc000_001d: .init("EXCEPTION_ILLEGAL_INSTRUCTION", "illegal instruction"),
        0xc000_0025: .init(
            "EXCEPTION_NONCONTINUABLE_EXCEPTION",
            "the program went on after an exception it could not go on from"),
        0xc000_008c: .init("EXCEPTION_ARRAY_BOUNDS_EXCEEDED", "array index out of range"),
        0xc000_008e: .init("EXCEPTION_FLT_DIVIDE_BY_ZERO", "floating-point divide by zero"),
        0xc000_0090: .init("EXCEPTION_FLT_INVALID_OPERATION", "floating-point invalid operation"),
        0xc000_0094: .init("EXCEPTION_INT_DIVIDE_BY_ZERO", "integer divide by zero"),
        0xc000_0095: .init("EXCEPTION_INT_OVERFLOW", "integer overflow"),
        0xc000_0096: .init("EXCEPTION_PRIV_INSTRUCTION", "privileged instruction"),
        0xc000_00fd: .init("EXCEPTION_STACK_OVERFLOW", "stack overflow"),
        0xc000_0135: .init("STATUS_DLL_NOT_FOUND", "a library was not found"),
        0xc000_0374: .init("STATUS_HEAP_CORRUPTION", "the heap is damaged"),
        0xc000_0409: .init(
            "STATUS_STACK_BUFFER_OVERRUN",
            "the program ended itself at once: a smashed stack or a failed check"),
        0xc000_0420: .init("STATUS_ASSERTION_FAILURE", "failed assertion"),
        0xe06d_7363: .init("C++ exception", "a C++ exception nobody caught"),
    ]
}
