// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Decides whether a value can be a return address: whether a call precedes it.
struct CallInstruction {
    let architecture: Architecture
    let memory: CapturedMemory
    private let known = KnownAnswers()

    init(architecture: Architecture, memory: CapturedMemory) {
        self.architecture = architecture
        self.memory = memory
    }

    enum Answer {
        case yes, no
        /// The code is neither in the dump nor in a file.
        case unknown
    }

    /// Many stacks have the same words. A hostile dump has no end of others.
    private final class KnownAnswers {
        static let limit = 1 << 16
        var answers: [UInt64: Answer] = [:]
    }

    func precedes(_ address: UInt64) -> Answer {
        if let answer = known.answers[address] { return answer }
        let answer: Answer =
            switch architecture {
            case .x86_64: precedesOnX86(address)
            case .aarch64: precedesOnARM(address)
            default: .unknown
            }
        if known.answers.count == KnownAnswers.limit { known.answers = [:] }
        known.answers[address] = answer
        return answer
    }

    /// Intel SDM 2A, CALL: E8 rel32. Arm ARM, C6.2, BL: 26 bits, in words. Nil for indirect calls.
    func directTarget(returningTo address: UInt64) -> UInt64? {
        guard address >= 5 else { return nil }
        switch architecture {
        case .x86_64:
            var cursor = ByteCursor(memory.bytes(at: address - 5, count: 5))
            guard (try? cursor.read(UInt8.self)) == 0xe8,
                let distance = try? cursor.read(Int32.self)
            else { return nil }
            return address &+ UInt64(bitPattern: Int64(distance))
        case .aarch64:
            var cursor = ByteCursor(memory.bytes(at: address - 4, count: 4))
            guard let word = try? cursor.read(UInt32.self), word >> 26 == 0b100101 else {
                return nil
            }
            let distance = Int64(Int32(bitPattern: word << 6) >> 4)
            return address &- 4 &+ UInt64(bitPattern: distance)
        default: return nil
        }
    }

    /// The slot of a call through memory near the code: FF 15 rel32, Intel SDM 2A, as `-fno-plt`
    /// makes them. AArch64 loads the slot's content earlier.
    func slot(returningTo address: UInt64) -> UInt64? {
        guard architecture == .x86_64, address >= 6 else { return nil }
        var cursor = ByteCursor(memory.bytes(at: address - 6, count: 6))
        guard (try? cursor.read(UInt16.self)) == 0x15ff,
            let distance = try? cursor.read(Int32.self)
        else { return nil }
        return address &+ UInt64(bitPattern: Int64(distance))
    }

    /// Where jumps in `code` at `address` lead; some of the bytes may be none. Intel SDM 2A, JMP
    /// and Jcc: EB rel8, E9 rel32, 0F 8x rel32. Arm ARM, C6.2, B: 26 bits, in words.
    func jumps(in code: [UInt8], at address: UInt64) -> [UInt64] {
        if architecture == .aarch64 {
            return stride(from: 0, to: code.count - 3, by: 4).compactMap { offset in
                let word = code[offset..<offset + 4].littleEndian
                guard word >> 26 == 0b000101 else { return nil }
                let distance = Int64(Int32(truncatingIfNeeded: word << 6) >> 4)
                return address &+ UInt64(offset) &+ UInt64(bitPattern: distance)
            }
        }
        return code.indices.compactMap { index in
            let isConditional =
                index > 0 && code[index - 1] == 0x0f && code[index] & 0xf0 == 0x80
            let isNear = code[index] == 0xe9 || isConditional
            let length = isNear ? 4 : 1
            guard isNear || code[index] == 0xeb, index + length < code.count else { return nil }
            let bytes = code[index + 1...index + length].littleEndian
            let distance =
                isNear
                ? Int64(Int32(truncatingIfNeeded: bytes)) : Int64(Int8(truncatingIfNeeded: bytes))
            return address &+ UInt64(index + 1 + length) &+ UInt64(bitPattern: distance)
        }
    }

    /// JMP of a register, FF /4, Intel SDM 2A. Arm ARM, C6.2, BR.
    func hasIndirectJump(in code: [UInt8]) -> Bool {
        if architecture == .aarch64 {
            return stride(from: 0, to: code.count - 3, by: 4).contains { offset in
                code[offset..<offset + 4].littleEndian & 0xffff_fc1f == 0xd61f_0000
            }
        }
        return code.indices.dropLast().contains {
            code[$0] == 0xff && 0xe0...0xe7 ~= code[$0 + 1]
        }
    }

    // Intel SDM 2A, CALL: E8 rel32, or FF /2 with an operand, 2 to 7 bytes, perhaps with a prefix.
    private func precedesOnX86(_ address: UInt64) -> Answer {
        guard address >= 7 else { return .no }
        let code = memory.bytes(at: address - 7, count: 7).array
        guard code.count == 7 else { return memory.isBehindFile(address - 1) ? .no : .unknown }
        if code[2] == 0xe8 { return .yes }
        for length in 2...7 where code[7 - length] == 0xff {
            if Self.callLength(
                modRM: code[8 - length], scaleByte: length > 2 ? code[9 - length] : 0)
                == length
            {
                return .yes
            }
        }
        return .no
    }

    /// `FF /2` with this ModR/M byte; nil for other instructions. Intel SDM 2A, table 2-2.
    private static func callLength(modRM: UInt8, scaleByte: UInt8) -> Int? {
        guard modRM >> 3 & 7 == 2 else { return nil }
        let operand = modRM & 7
        switch modRM >> 6 {
        case 3: return 2
        case 0 where operand == 5: return 6
        case 0 where operand == 4: return scaleByte & 7 == 5 ? 7 : 3
        case 0: return 2
        case 1: return operand == 4 ? 4 : 3
        default: return operand == 4 ? 7 : 6
        }
    }

    // Arm ARM, C6.2: BL imm26, BLR Xn, BLRAA and its variants.
    private func precedesOnARM(_ address: UInt64) -> Answer {
        guard address >= 4, address % 4 == 0 else { return .no }
        let code = memory.bytes(at: address - 4, count: 4).array
        guard code.count == 4 else { return .unknown }
        let word = code.littleEndian
        let isBL = word >> 26 == 0b100101
        let isBLR = word & 0xffff_fc1f == 0xd63f_0000
        let isAuthenticatedBLR = word & 0xfeff_f800 == 0xd63f_0800
        return isBL || isBLR || isAuthenticatedBLR ? .yes : .no
    }
}

/// Death by an x86_64 breakpoint. INT3 is a trap, reported behind the instruction (Intel SDM 2A),
/// which may already be the next line or function.
struct TrapInstruction {
    let memory: CapturedMemory

    func isBefore(_ exception: ExceptionSnapshot, _ snapshot: ProcessSnapshot) -> Bool {
        // SIGTRAP, signal(7). The kernel gives int3 SI_KERNEL (arch/x86/kernel/traps.c),
        // sigaction(2) documents TRAP_BRKPT; single steps and sent signals have other codes.
        guard snapshot.architecture == .x86_64, exception.signal == 5,
            exception.isCodeKnown, exception.code == 0x80 || exception.code == 1,
            let address = (exception.registers ?? snapshot.crashingThread?.registers)?
                .instructionPointer, address > 1
        else { return false }
        let code = memory.bytes(at: address - 2, count: 2).array
        // int3, or int $3; if the code is unknown, the signal code is enough.
        return code.isEmpty || code.last == 0xcc || code == [0xcd, 0x03]
    }
}
