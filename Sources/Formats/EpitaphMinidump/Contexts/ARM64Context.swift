// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CONTEXT of aarch64 (winnt.h; Breakpad's minidump_cpu_arm64.h): 912 bytes, or 796 before.
enum ARM64Context {
    static let byteCount = 912
    static let oldByteCount = 796
    static let vectorByteCount = 512

    private static let architectureFlag: UInt32 = 0x40_0000
    private static let oldArchitectureFlag: UInt32 = 0x8000_0000
    private static let control: UInt32 = 0x1
    private static let integer: UInt32 = 0x2
    private static let floatingPoint: UInt32 = 0x4

    static func encode(_ registers: ARM64Registers) -> [UInt8] {
        let vectors = registers.vectors.flatMap { $0.count == vectorByteCount ? $0.array : nil }
        var flags = architectureFlag | control | integer
        if vectors != nil { flags |= floatingPoint }

        var record = ByteBuilder()
        record.append(flags)
        record.append(UInt32(truncatingIfNeeded: registers.pstate))
        for index in 0..<31 {
            record.append(index < registers.x.count ? registers.x[index] : 0)
        }
        record.append(registers.sp, registers.pc)
        record.append(vectors ?? [UInt8](repeating: 0, count: vectorByteCount))
        record.append(registers.fpcr, registers.fpsr)
        record.appendZeros(byteCount - record.count)  // bcr, bvr, wcr, wvr
        return record.bytes
    }

    /// A record with only these two registers, although its flags claim all control registers.
    static func encode(instruction: UInt64, stack: UInt64) -> [UInt8] {
        var record = ByteBuilder()
        record.appendZeros(byteCount)
        record.overwrite(at: 0, with: architectureFlag | control)
        record.overwrite(at: 256, with: stack)
        record.overwrite(at: 264, with: instruction)
        return record.bytes
    }

    static func decode(_ bytes: ByteSlice) throws(TruncatedRead) -> RegisterSnapshot {
        var cursor = ByteCursor(bytes)
        let flags = try cursor.read(UInt32.self)
        let isOld = bytes.count == oldByteCount && flags & oldArchitectureFlag != 0
        var registers = ARM64Registers()
        if isOld {
            try cursor.skip(4)  // the flags have 64 bits there
        } else {
            registers.pstate = UInt64(try cursor.read(UInt32.self))
        }
        for index in 0..<31 { registers.x[index] = try cursor.read() }
        registers.sp = try cursor.read()
        registers.pc = try cursor.read()
        guard flags & integer != 0 else {
            return .pointers(instruction: registers.pc, stack: registers.sp)
        }
        if isOld {
            registers.pstate = UInt64(try cursor.read(UInt32.self))
            registers.fpsr = try cursor.read()
            registers.fpcr = try cursor.read()
        }
        guard flags & floatingPoint != 0 else { return .aarch64(registers) }
        registers.vectors = try cursor.readSlice(count: vectorByteCount)
        if !isOld {
            registers.fpcr = try cursor.read()
            registers.fpsr = try cursor.read()
        }
        return .aarch64(registers)
    }
}
