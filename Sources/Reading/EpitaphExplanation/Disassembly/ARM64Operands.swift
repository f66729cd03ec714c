// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// Operands and memory accesses of aarch64 instructions: Arm ARM, C3.2 (loads and stores).
enum ARM64Operands {
    static func read(
        _ detail: epitaph_cs_arm64, _ handle: epitaph_csh, _ text: String,
        into instruction: inout DecodedInstruction
    ) {
        let operands = withUnsafeBytes(of: detail.operands) {
            Array($0.bindMemory(to: epitaph_cs_arm64_op.self).prefix(Int(detail.op_count)))
        }
        for operand in operands {
            switch operand.type {
            case ARM64_OP_REG:
                let register = Register(capstone: operand.reg, handle)
                instruction.operands.append(register.map { .register($0) } ?? .other)
            case ARM64_OP_IMM:
                instruction.operands.append(.immediate(operand.imm))
            case ARM64_OP_MEM:
                let memory = memoryOperand(operand, handle, isPostIndexed: text.has("], "))
                instruction.operands.append(.memory(memory))
            default: instruction.operands.append(.other)
            }
        }
        instruction.memoryAccesses = accesses(of: instruction, text)
    }

    private static func memoryOperand(
        _ operand: epitaph_cs_arm64_op, _ handle: epitaph_csh, isPostIndexed: Bool
    ) -> MemoryOperand {
        var memory = MemoryOperand(base: Register(capstone: operand.mem.base, handle))
        // `[x0], #8` accesses x0, then adds 8.
        guard !isPostIndexed else { return memory }
        memory.displacement = Int64(operand.mem.disp)
        memory.index = Register(capstone: operand.mem.index, handle)
        if operand.shift.value < 4 { memory.scale = 1 << UInt64(operand.shift.value) }
        memory.hasSignedIndex = operand.ext == ARM64_EXT_SXTW
        return memory
    }

    private static func accesses(of instruction: DecodedInstruction, _ text: String)
        -> [MemoryAccess]
    {
        if instruction.mnemonic == "dc", text.hasPrefix("zva"),
            let register = instruction.operands.compactMap(\.register).first
        {
            let operand = MemoryOperand(base: register)
            return [MemoryAccess(operand, reads: false, writes: true, byteCount: nil)]
        }
        guard let (reads, writes) = direction(instruction.mnemonic) else { return [] }
        let memory = instruction.operands.compactMap(\.memory)
        if memory.isEmpty, instruction.mnemonic.hasPrefix("ldr"),
            case .immediate(let address) = instruction.operands.last
        {
            // A literal near the code; capstone gives its address.
            let operand = MemoryOperand(displacement: address)
            return [MemoryAccess(operand, reads: true, writes: false, byteCount: nil)]
        }
        return memory.map { MemoryAccess($0, reads: reads, writes: writes, byteCount: nil) }
    }

    private static let exchanges = [
        "cas", "swp", "ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax", "ldumin",
    ]

    private static func direction(_ mnemonic: String) -> (reads: Bool, writes: Bool)? {
        if exchanges.contains(where: mnemonic.hasPrefix) { return (true, true) }
        if mnemonic.hasPrefix("ld") { return (true, false) }
        if mnemonic.hasPrefix("st") { return (false, true) }
        return nil
    }
}

extension DecodedInstruction.Operand {
    package var register: Register? {
        if case .register(let register) = self { return register }
        return nil
    }

    package var memory: MemoryOperand? {
        if case .memory(let operand) = self { return operand }
        return nil
    }

    /// Sign-extended to 64 bits.
    package var immediate: Int64? {
        if case .immediate(let value) = self { return value }
        return nil
    }
}
