// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CONTEXT of 32-bit ARM, which is only read: Breakpad's 368 bytes (minidump_cpu_arm.h) and
/// Microsoft's 416 (winnt.h). Both begin with the flags, r0 to r15 and cpsr.
enum ARMContext {
    static let byteCount = 368

    static func decode(_ bytes: ByteSlice) throws(TruncatedRead) -> RegisterSnapshot {
        var cursor = ByteCursor(bytes)
        try cursor.skip(4)
        var registers: [NamedRegisters.Register] = []
        for name in (0...12).map({ "r\($0)" }) + ["sp", "lr", "pc", "cpsr"] {
            registers.append(.init(name, UInt64(try cursor.read(UInt32.self))))
        }
        // Thumb code keeps its frame pointer in r7, ARM code in r11: neither can be relied on.
        return .named(
            NamedRegisters(
                registers, instructionPointer: registers[15].value,
                stackPointer: registers[13].value))
    }
}
