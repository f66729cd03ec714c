// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CONTEXT of x86_64 (winnt.h; Breakpad's minidump_cpu_amd64.h), 1232 bytes.
enum AMD64Context {
    static let byteCount = 1232
    static let floatingPointByteCount = 512

    private static let architectureFlag: UInt32 = 0x10_0000
    private static let control: UInt32 = 0x1
    private static let integer: UInt32 = 0x2
    private static let segments: UInt32 = 0x4
    private static let floatingPoint: UInt32 = 0x8

    static func encode(_ registers: X86Registers) -> [UInt8] {
        // The FXSAVE part of the saved state; fewer bytes are not a floating-point state.
        let saved = registers.floatingPoint?.slice(from: 0, length: floatingPointByteCount)
        let state = saved?.count == floatingPointByteCount ? saved?.array : nil
        var flags = architectureFlag | control | integer | segments
        if state != nil { flags |= floatingPoint }

        var record = ByteBuilder()
        record.appendZeros(48)  // p1_home to p6_home
        record.append(flags)
        // MXCSR is at offset 24 of the FXSAVE area: Intel SDM 1, 10.5.1.
        record.append(state.map { Array($0[24..<28]) } ?? [0, 0, 0, 0])
        record.append(registers.cs)
        record.append(UInt32(0))  // ds, es: not saved by the kernel
        record.append(registers.fs, registers.gs, registers.ss)
        record.append(UInt32(truncatingIfNeeded: registers.rflags))
        record.appendZeros(48)  // dr0 to dr3, dr6, dr7
        for register in integers { record.append(registers[keyPath: register]) }
        record.append(state ?? [UInt8](repeating: 0, count: floatingPointByteCount))
        record.appendZeros(byteCount - record.count)
        return record.bytes
    }

    /// A record with only these two registers, although its flags claim all control registers.
    static func encode(instruction: UInt64, stack: UInt64) -> [UInt8] {
        var record = ByteBuilder()
        record.appendZeros(byteCount)
        record.overwrite(at: 48, with: architectureFlag | control)
        record.overwrite(at: 152, with: stack)
        record.overwrite(at: 248, with: instruction)
        return record.bytes
    }

    private static var integers: [WritableKeyPath<X86Registers, UInt64>] {
        [
            \.rax, \.rcx, \.rdx, \.rbx, \.rsp, \.rbp, \.rsi, \.rdi, \.r8, \.r9, \.r10, \.r11, \.r12,
            \.r13,
            \.r14, \.r15, \.rip,
        ]
    }

    static func decode(_ bytes: ByteSlice) throws(TruncatedRead) -> RegisterSnapshot {
        var cursor = ByteCursor(bytes, offset: 48)
        let flags = try cursor.read(UInt32.self)
        try cursor.skip(4)
        var r = X86Registers()
        r.cs = try cursor.read()
        try cursor.skip(4)
        r.fs = try cursor.read()
        r.gs = try cursor.read()
        r.ss = try cursor.read()
        r.rflags = UInt64(try cursor.read(UInt32.self))
        try cursor.skip(48)
        for register in integers { r[keyPath: register] = try cursor.read() }
        guard flags & integer != 0 else {
            return .pointers(instruction: r.rip, stack: r.rsp)
        }
        if flags & floatingPoint != 0 {
            r.floatingPoint = try cursor.readSlice(count: floatingPointByteCount)
        }
        return .x86_64(r)
    }
}
