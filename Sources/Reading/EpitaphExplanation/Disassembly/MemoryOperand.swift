// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A place in memory as an instruction names it: base + index × scale + displacement.
package struct MemoryOperand: Sendable, Equatable {
    /// Nil for an absolute address.
    package var base: Register?
    /// Added after multiplication by `scale`; nil if there is none.
    package var index: Register?
    /// 1, 2, 4 or 8.
    package var scale: UInt64 = 1
    /// Added as it is, in bytes.
    package var displacement: Int64 = 0
    /// `fs` or `gs` if the instruction has one of them: its base is added to the address.
    package var segment: Register?
    /// aarch64: the index is a 32-bit number with a sign.
    package var hasSignedIndex = false
    /// How many bits of the sum form the address: 32 with x86's prefix 67, otherwise 64.
    package var addressBits = 64

    /// Without index and segment.
    package init(base: Register? = nil, displacement: Int64 = 0) {
        self.base = base
        self.displacement = displacement
    }

    /// The registers that the address is computed from.
    package var registers: [Register] { [base, index].compactMap(\.self) }

    /// The address of the operand; nil if one of its registers is not known.
    ///
    /// - Parameters:
    ///   - registers: their values before the instruction runs.
    ///   - nextInstruction: the value used for the program counter: the address behind the instruction.
    ///   - segmentBase: what `segment` adds; nil if unknown.
    package func address(
        in registers: RegisterSnapshot, nextInstruction: UInt64, segmentBase: UInt64?
    ) -> UInt64? {
        var sum = UInt64(bitPattern: displacement)
        if let base {
            // In `registers` the instruction pointer is still that of the instruction itself.
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
