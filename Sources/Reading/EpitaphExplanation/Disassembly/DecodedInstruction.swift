// SPDX-License-Identifier: Apache-2.0

package struct DecodedInstruction: Sendable, Equatable {
    package var address: UInt64
    /// 1 to 15 bytes on x86_64 (Intel SDM 2, 2.3.11), 4 on aarch64.
    package var bytes: [UInt8]
    package var mnemonic: String
    /// `mov dword ptr [rax + 0x10], 5`: Intel's syntax on x86_64, Arm's on aarch64.
    package var text: String
    package var operands: [Operand]
    package var memoryAccesses: [MemoryAccess]
    package var flow: Flow
    package var isPrivileged: Bool
    /// Capstone's names of required processor features: `avx2`, `sse42`, `crc`.
    package var features: [String]

    package enum Operand: Sendable, Equatable {
        case register(Register)
        /// Sign-extended to 64 bits; jump targets too, as addresses.
        case immediate(Int64)
        /// An address expression, not always accessed: `lea` does not.
        case memory(MemoryOperand)
        case other
    }

    package enum Flow: Sendable, Equatable {
        case next, jump, call, `return`
    }

    package var nextAddress: UInt64 { address &+ UInt64(bytes.count) }
}

package struct MemoryAccess: Sendable, Equatable {
    package var operand: MemoryOperand
    package var reads: Bool
    package var writes: Bool
    package var byteCount: Int?
    package var isImplied = false

    package init(_ operand: MemoryOperand, reads: Bool, writes: Bool, byteCount: Int?) {
        self.operand = operand
        self.reads = reads
        self.writes = writes
        self.byteCount = byteCount
    }
}
