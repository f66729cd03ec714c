// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// Operands and memory accesses of x86_64 instructions: Intel SDM 2, the instructions' own pages.
enum X86Operands {
    static func read(
        _ detail: epitaph_cs_x86, _ handle: epitaph_csh, into instruction: inout DecodedInstruction
    ) {
        let operands = withUnsafeBytes(of: detail.operands) {
            Array($0.bindMemory(to: epitaph_cs_x86_op.self).prefix(Int(detail.op_count)))
        }
        for (position, operand) in operands.enumerated() {
            switch operand.type {
            case X86_OP_REG:
                let register = Register(capstone: operand.reg, handle)
                instruction.operands.append(register.map { .register($0) } ?? .other)
            case X86_OP_IMM:
                instruction.operands.append(.immediate(operand.imm))
            case X86_OP_MEM:
                let memory = memoryOperand(operand.mem, detail, handle)
                instruction.operands.append(.memory(memory))
                let isTarget = position == 0 && isTarget(of: instruction, operands.count)
                if let access = access(memory, operand, isTarget, of: instruction) {
                    instruction.memoryAccesses.append(access)
                }
            default: instruction.operands.append(.other)
            }
        }
        instruction.memoryAccesses += stackAccess(of: instruction)
    }

    private static func memoryOperand(
        _ memory: epitaph_x86_op_mem, _ detail: epitaph_cs_x86, _ handle: epitaph_csh
    ) -> MemoryOperand {
        var operand = MemoryOperand(displacement: memory.disp)
        operand.base = Register(capstone: memory.base, handle)
        operand.index = Register(capstone: memory.index, handle)
        // riz and eiz mean "no index".
        if let name = operand.index?.name, ["riz", "eiz"].contains(name) { operand.index = nil }
        operand.scale = UInt64(clamping: memory.scale)
        operand.addressBits = detail.addr_size == 4 ? 32 : 64
        // In 64-bit mode all other segments begin at 0: Intel SDM 1, 3.4.2.1.
        let segment = Register(capstone: memory.segment, handle)
        operand.segment = segment.flatMap { ["fs", "gs"].contains($0.name) ? $0 : nil }
        return operand
    }

    /// Their memory operands are not accessed.
    private static let addressOnly: Set<String> = ["lea", "nop", "endbr64"]

    private static func access(
        _ memory: MemoryOperand, _ operand: epitaph_cs_x86_op, _ isTarget: Bool,
        of instruction: DecodedInstruction
    ) -> MemoryAccess? {
        guard !addressOnly.contains(instruction.mnemonic),
            !instruction.mnemonic.hasPrefix("prefetch")
        else { return nil }
        let saysRead = operand.access & UInt8(CS_AC_READ.rawValue) != 0
        // Capstone 4 says of FRSTOR that it writes.
        let saysWrite =
            operand.access & UInt8(CS_AC_WRITE.rawValue) != 0 && instruction.mnemonic != "frstor"
        let isMissedWrite = isTarget && !saysWrite
        let reads = isMissedWrite ? changes(operation(of: instruction)) : saysRead
        let writes = saysWrite || isMissedWrite
        return MemoryAccess(
            // Capstone does not always know the direction; it is at least one.
            memory, reads: reads || !writes, writes: writes,
            byteCount: operand.size == 0 ? nil : Int(operand.size))
    }

    /// Without `lock` and `rep`.
    private static func operation(of instruction: DecodedInstruction) -> Substring {
        instruction.mnemonic.split(separator: " ").last ?? ""
    }

    /// Whether the first operand is written to. Capstone 4 says of most stores of vectors, also
    /// memcpy's, that they read. Intel's syntax names the target first.
    private static func isTarget(of instruction: DecodedInstruction, _ operandCount: Int) -> Bool {
        let name = operation(of: instruction)
        if changes(name) { return true }
        guard operandCount > 1 else { return storePrefixes.contains(where: name.hasPrefix) }
        return !name.hasPrefix("cmp") && name != "test" && name != "bt"
    }

    private static let storePrefixes = ["set", "fst", "fist", "fnst", "stmxcsr", "vstmxcsr"]

    /// What it writes depends on what was there.
    private static func changes(_ operation: Substring) -> Bool {
        operation.hasPrefix("cmpxchg") || ["rol", "ror", "rcl", "rcr"].contains(operation)
    }

    /// PUSH and CALL write below the stack pointer, POP and RET read at it, LEAVE reads at rbp.
    private static func stackAccess(of instruction: DecodedInstruction) -> [MemoryAccess] {
        let stackPointer = Register("rsp")
        var access: MemoryAccess
        if instruction.flow == .call || instruction.mnemonic.hasPrefix("push") {
            access = MemoryAccess(
                MemoryOperand(base: stackPointer, displacement: -8), reads: false, writes: true,
                byteCount: 8)
        } else if instruction.flow == .return || instruction.mnemonic.hasPrefix("pop"),
            !instruction.mnemonic.hasPrefix("popcnt")
        {
            access = MemoryAccess(
                MemoryOperand(base: stackPointer), reads: true, writes: false, byteCount: 8)
        } else if instruction.mnemonic == "leave" {
            access = MemoryAccess(
                MemoryOperand(base: Register("rbp")), reads: true, writes: false, byteCount: 8)
        } else {
            return []
        }
        access.isImplied = true
        return [access]
    }
}
