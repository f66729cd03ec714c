// SPDX-License-Identifier: Apache-2.0

/// One decoded machine instruction.
package struct DecodedInstruction: Sendable, Equatable {
    /// Where its first byte is in the process.
    package var address: UInt64
    /// Its machine code: 1 to 15 bytes on x86_64 (Intel SDM 2, 2.3.11), 4 on aarch64.
    package var bytes: [UInt8]
    /// `mov`
    package var mnemonic: String
    /// `mov dword ptr [rax + 0x10], 5`: Intel's syntax on x86_64, Arm's on aarch64.
    package var text: String
    /// In the order of `text`.
    package var operands: [Operand]
    /// The memory it uses: as written in the instruction, or implied, like the stack by `push`.
    package var memoryAccesses: [MemoryAccess]
    /// Which instruction runs after it, as far as its kind says.
    package var flow: Flow
    /// Whether only an operating system may execute it.
    package var isPrivileged: Bool
    /// Capstone's names of the processor features it belongs to: `avx2`, `sse42`, `crc`.
    package var features: [String]

    /// What an instruction works on.
    package enum Operand: Sendable, Equatable {
        /// May be a part of a larger register, as `eax` is.
        case register(Register)
        /// A constant in the instruction, sign-extended to 64 bits; targets of jumps too, as
        /// addresses.
        case immediate(Int64)
        /// An address computed from registers and a constant. Not all such operands access memory:
        /// `lea` does not.
        case memory(MemoryOperand)
        /// Any other kind: a barrier, a system register.
        case other
    }

    /// Where the program continues after it.
    package enum Flow: Sendable, Equatable {
        /// The instruction behind it; another one, perhaps on a condition; a function's first one;
        /// its caller's.
        case next, jump, call, `return`
    }

    /// The address behind the instruction.
    package var nextAddress: UInt64 { address &+ UInt64(bytes.count) }
}

/// One use of memory by an instruction.
package struct MemoryAccess: Sendable, Equatable {
    /// How its address is computed.
    package var operand: MemoryOperand
    /// Whether it loads from there.
    package var reads: Bool
    /// Whether it stores there; both for a read-modify-write.
    package var writes: Bool
    /// Nil if the instruction's text does not say.
    package var byteCount: Int?
    /// Not among the instruction's operands: the stack of `push` and `call`.
    package var isImplied = false

    /// An access written in the instruction; set `isImplied` for one that is not.
    package init(_ operand: MemoryOperand, reads: Bool, writes: Bool, byteCount: Int?) {
        self.operand = operand
        self.reads = reads
        self.writes = writes
        self.byteCount = byteCount
    }
}
