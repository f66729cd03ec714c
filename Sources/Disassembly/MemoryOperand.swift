// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// A place in memory as an instruction names it: base + index × scale + displacement.
public struct MemoryOperand: Sendable, Equatable {
    public var base: Register?
    public var index: Register?
    /// 1, 2, 4 or 8.
    public var scale: UInt64 = 1
    public var displacement: Int64 = 0
    /// `fs` or `gs` where the instruction says so: their base is added.
    public var segment: Register?
    /// aarch64: the index is a 32-bit number with a sign.
    public var hasSignedIndex = false
    /// How many bits of the sum are the address: 32 behind x86's prefix 67, else 64.
    public var addressBits = 64

    public init(base: Register? = nil, displacement: Int64 = 0) {
        self.base = base
        self.displacement = displacement
    }

    /// The registers the address is made of.
    public var registers: [Register] { [base, index].compactMap(\.self) }

    /// The address the operand means; nil when a register of it is not known.
    ///
    /// - Parameters:
    ///   - registers: as they are before the instruction runs.
    ///   - nextInstruction: what the program counter counts as: the address behind the instruction.
    ///   - segmentBase: what `segment` adds; nil if unknown.
    public func address(
        in registers: RegisterSnapshot, nextInstruction: UInt64, segmentBase: UInt64?
    ) -> UInt64? {
        var sum = UInt64(bitPattern: displacement)
        if let base {
            // The instruction pointer in the registers is that of the instruction itself.
            guard
                let value = base.wholeName == "rip" ? nextInstruction : base.value(in: registers)
            else { return nil }
            sum &+= value
        }
        if let index {
            guard var value = index.value(in: registers) else { return nil }
            if hasSignedIndex {
                value = UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: value)))
            }
            sum &+= value &* scale
        }
        if addressBits == 32 { sum &= 0xffff_ffff }
        guard segment != nil else { return sum }
        guard let segmentBase else { return nil }
        return sum &+ segmentBase
    }
}
