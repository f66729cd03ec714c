// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CONTEXT of 32-bit x86 (winnt.h; Breakpad's minidump_cpu_x86.h), 716 bytes. Only read.
enum X86Context {
    static let byteCount = 716

    /// After the flags, six debug registers and the x87 state of 112 bytes.
    private static let segmentsOffset = 140
    // In the record's order.
    private static let names = [
        "gs", "fs", "es", "ds", "edi", "esi", "ebx", "edx", "ecx", "eax", "ebp", "eip", "cs",
        "eflags", "esp", "ss",
    ]
    private static let shown = [
        "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip", "eflags",
    ]

    static func decode(_ bytes: ByteSlice) throws(TruncatedRead) -> RegisterSnapshot {
        var cursor = ByteCursor(bytes)
        try cursor.skip(segmentsOffset)
        var values: [String: UInt64] = [:]
        for name in names { values[name] = UInt64(try cursor.read(UInt32.self)) }
        return .named(
            NamedRegisters(
                shown.map { .init($0, values[$0] ?? 0) },
                instructionPointer: values["eip"] ?? 0, stackPointer: values["esp"] ?? 0,
                framePointer: values["ebp"]))
    }
}

/// CONTEXT of 32-bit ARM: Breakpad's 368 bytes (minidump_cpu_arm.h) and Microsoft's 416 (winnt.h).
/// Only read. Both begin with the flags, r0 to r15 and cpsr.
enum ARMContext {
    static let byteCount = 368

    static func decode(_ bytes: ByteSlice) throws(TruncatedRead) -> RegisterSnapshot {
        var cursor = ByteCursor(bytes)
        try cursor.skip(4)
        var registers: [NamedRegisters.Register] = []
        for name in (0...12).map({ "r\($0)" }) + ["sp", "lr", "pc", "cpsr"] {
            registers.append(.init(name, UInt64(try cursor.read(UInt32.self))))
        }
        // Thumb code has its frame pointer in r7, ARM code in r11: neither is reliable.
        return .named(
            NamedRegisters(
                registers, instructionPointer: registers[15].value,
                stackPointer: registers[13].value))
    }
}
