// SPDX-License-Identifier: Apache-2.0

/// One machine instruction, taken apart.
public struct Instruction: Sendable, Equatable {
    public var address: UInt64
    public var bytes: [UInt8]
    /// `mov`
    public var mnemonic: String
    /// `mov dword ptr [rax + 0x10], 5`: Intel's syntax on x86_64, Arm's on aarch64.
    public var text: String
    /// As they are written.
    public var operands: [Operand]
    /// The memory it uses, written in the instruction or implied, as the stack by `push`.
    public var memoryAccesses: [MemoryAccess]
    public var flow: Flow
    /// Only an operating system may execute it.
    public var isPrivileged: Bool
    /// Capstone's names of the processor features it belongs to: `avx2`, `sse42`, `crc`.
    public var features: [String]

    public enum Operand: Sendable, Equatable {
        case register(Register)
        case immediate(Int64)
        case memory(MemoryOperand)
        /// One of another sort: a barrier, a system register.
        case other
    }

    /// Where the program goes on after it.
    public enum Flow: Sendable, Equatable {
        case next, jump, call, `return`
    }

    /// The address behind the instruction.
    public var nextAddress: UInt64 { address &+ UInt64(bytes.count) }
}

/// One use of memory by an instruction.
public struct MemoryAccess: Sendable, Equatable {
    public var operand: MemoryOperand
    public var reads: Bool
    public var writes: Bool
    /// Nil if the instruction's text does not say.
    public var byteCount: Int?
    /// Not among the instruction's operands: the stack of `push` and `call`.
    public var isImplied = false

    public init(_ operand: MemoryOperand, reads: Bool, writes: Bool, byteCount: Int?) {
        self.operand = operand
        self.reads = reads
        self.writes = writes
        self.byteCount = byteCount
    }
}
