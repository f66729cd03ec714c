// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CONTEXT of 32-bit x86 (winnt.h; Breakpad's minidump_cpu_x86.h), 716 bytes, which is only read.
enum X86Context {
    static let byteCount = 716

    /// Behind the flags, six debug registers and the x87 state of 112 bytes.
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
