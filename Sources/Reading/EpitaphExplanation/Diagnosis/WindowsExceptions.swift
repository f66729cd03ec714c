// SPDX-License-Identifier: Apache-2.0

/// Exception codes of Windows by name and in words: winnt.h, ntstatus.h.
enum WindowsExceptions {
    static func exception(_ code: UInt32) -> SignalTable.Entry? { exceptions[code] }

    /// Whether the first two parameters are the kind of access and the address.
    static func hasAccess(_ code: UInt32) -> Bool {
        // EXCEPTION_ACCESS_VIOLATION, EXCEPTION_IN_PAGE_ERROR
        code == 0xc000_0005 || code == 0xc000_0006
    }

    private static let exceptions: [UInt32: SignalTable.Entry] = [
        0x8000_0001: .init(name: "EXCEPTION_GUARD_PAGE", meaning: "a guard page was touched"),
        0x8000_0002: .init(
            name: "EXCEPTION_DATATYPE_MISALIGNMENT", meaning: "invalid address alignment"),
        0x8000_0003: .init(name: "EXCEPTION_BREAKPOINT", meaning: "breakpoint"),
        0x8000_0004: .init(name: "EXCEPTION_SINGLE_STEP", meaning: "single step"),
        0xc000_0005: .init(
            name: "EXCEPTION_ACCESS_VIOLATION", meaning: "memory could not be accessed"),
        0xc000_0006: .init(
            name: "EXCEPTION_IN_PAGE_ERROR", meaning: "a page could not be read in"),
        0xc000_0008: .init(name: "EXCEPTION_INVALID_HANDLE", meaning: "invalid handle"),
        0xc000_0017: .init(name: "STATUS_NO_MEMORY", meaning: "out of memory"),
        0xc000_001d: .init(
            name: "EXCEPTION_ILLEGAL_INSTRUCTION", meaning: "illegal instruction"),
        0xc000_0025: .init(
            name: "EXCEPTION_NONCONTINUABLE_EXCEPTION",
            meaning: "the program went on after an exception it could not go on from"),
        0xc000_008c: .init(
            name: "EXCEPTION_ARRAY_BOUNDS_EXCEEDED", meaning: "array index out of range"),
        0xc000_008e: .init(
            name: "EXCEPTION_FLT_DIVIDE_BY_ZERO", meaning: "floating-point divide by zero"),
        0xc000_0090: .init(
            name: "EXCEPTION_FLT_INVALID_OPERATION",
            meaning: "floating-point invalid operation"),
        0xc000_0094: .init(
            name: "EXCEPTION_INT_DIVIDE_BY_ZERO", meaning: "integer divide by zero"),
        0xc000_0095: .init(name: "EXCEPTION_INT_OVERFLOW", meaning: "integer overflow"),
        0xc000_0096: .init(
            name: "EXCEPTION_PRIV_INSTRUCTION", meaning: "privileged instruction"),
        0xc000_00fd: .init(name: "EXCEPTION_STACK_OVERFLOW", meaning: "stack overflow"),
        0xc000_0135: .init(name: "STATUS_DLL_NOT_FOUND", meaning: "a library was not found"),
        0xc000_0374: .init(name: "STATUS_HEAP_CORRUPTION", meaning: "the heap is damaged"),
        0xc000_0409: .init(
            name: "STATUS_STACK_BUFFER_OVERRUN",
            meaning: "the program ended itself at once: a smashed stack or a failed check"),
        0xc000_0420: .init(name: "STATUS_ASSERTION_FAILURE", meaning: "failed assertion"),
        0xe06d_7363: .init(name: "C++ exception", meaning: "a C++ exception nobody caught"),
    ]
}
