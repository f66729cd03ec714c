// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// REGISTERS of each architecture: the integer part of the kernel's `struct sigcontext`.
enum RegisterLayout {
    /// Size of a REGISTERS payload; 0 for processors without intermediate dumps.
    static func size(_ architecture: Architecture) -> Int {
        switch architecture {
        case .x86_64: 23 * 8
        case .aarch64: 35 * 8
        default: 0
        }
    }

    static func decode(
        _ registers: ByteSlice, _ architecture: Architecture
    ) throws(TruncatedRead) -> RegisterSnapshot {
        var cursor = ByteCursor(registers)
        switch architecture {
        case .x86_64: return .x86_64(try x86Registers(&cursor))
        case .aarch64: return .aarch64(try arm64Registers(&cursor))
        default: throw TruncatedRead(offset: 0, neededCount: 0, availableCount: 0)
        }
    }

    // Linux, arch/x86/include/uapi/asm/sigcontext.h, struct sigcontext for __x86_64__.
    private static func x86Registers(_ cursor: inout ByteCursor) throws(TruncatedRead)
        -> X86Registers
    {
        var registers = X86Registers()
        for register in X86Registers.inKernelOrder {
            registers[keyPath: register] = try cursor.read()
        }
        registers.cs = try cursor.read()
        registers.gs = try cursor.read()
        registers.fs = try cursor.read()
        registers.ss = try cursor.read()
        registers.errorCode = try cursor.read()
        registers.trapNumber = try cursor.read()
        try cursor.skip(8)  // oldmask
        registers.cr2 = try cursor.read()
        return registers
    }

    // Linux, arch/arm64/include/uapi/asm/sigcontext.h, struct sigcontext.
    private static func arm64Registers(_ cursor: inout ByteCursor) throws(TruncatedRead)
        -> ARM64Registers
    {
        var registers = ARM64Registers()
        registers.faultAddress = try cursor.read()
        for index in registers.x.indices {
            registers.x[index] = try cursor.read()
        }
        registers.sp = try cursor.read()
        registers.pc = try cursor.read()
        registers.pstate = try cursor.read()
        return registers
    }
}

enum FloatLayout {
    /// Intel SDM 1, 10.5.1: the part of an XSAVE area saved by every processor.
    static let fxsaveSize = 512
    /// FPSIMD_MAGIC, ESR_MAGIC
    static let fpsimdMagic: UInt32 = 0x4650_8001
    static let syndromeMagic: UInt32 = 0x4553_5201
    static let vectorsSize = 512

    static func add(_ floats: ByteSlice, to registers: inout RegisterSnapshot) -> Bool {
        switch registers {
        case .x86_64(var x86):
            guard floats.count >= fxsaveSize else { return false }
            x86.floatingPoint = floats
            registers = .x86_64(x86)
        case .aarch64(var arm64):
            guard addRecords(of: floats, to: &arm64) else { return false }
            registers = .aarch64(arm64)
        case .named, .pointers: return false
        }
        return true
    }

    // struct _aarch64_ctx: u32 magic, u32 size with these 8 bytes; the last record is 0, 0.
    private static func addRecords(
        of floats: ByteSlice, to registers: inout ARM64Registers
    ) -> Bool {
        var cursor = ByteCursor(floats)
        var hasVectors = false
        while let magic = try? cursor.read(UInt32.self),
            let size = try? cursor.read(UInt32.self), magic != 0, size >= 8,
            let record = try? cursor.readSlice(count: Int(size) - 8)
        {
            if magic == fpsimdMagic { hasVectors = addFPSIMD(record, to: &registers) }
            // struct esr_context
            if magic == syndromeMagic { registers.syndrome = record.load(at: 0) ?? 0 }
        }
        return hasVectors
    }

    private static func addFPSIMD(_ record: ByteSlice, to registers: inout ARM64Registers) -> Bool {
        var cursor = ByteCursor(record)
        guard let fpsr = try? cursor.read(UInt32.self), let fpcr = try? cursor.read(UInt32.self),
            let vectors = try? cursor.readSlice(count: vectorsSize)
        else { return false }
        registers.fpsr = fpsr
        registers.fpcr = fpcr
        registers.vectors = vectors
        return true
    }
}
