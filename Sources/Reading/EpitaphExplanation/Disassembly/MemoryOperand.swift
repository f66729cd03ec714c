// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct MemoryOperand: Sendable, Equatable {
    package var base: Register?
    package var index: Register?
    package var scale: UInt64 = 1
    package var displacement: Int64 = 0
    /// `fs` or `gs`, whose base is added.
    package var segment: Register?
    package var hasSignedIndex = false
    /// Bits of the address: 32 with x86's prefix 67.
    package var addressBits = 64

    package init(base: Register? = nil, displacement: Int64 = 0) {
        self.base = base
        self.displacement = displacement
    }

    package var registers: [Register] { [base, index].compactMap(\.self) }

    /// The operand's address; nil if a register is unknown.
    ///
    /// - Parameters:
    ///   - registers: their values before the instruction runs.
    ///   - nextInstruction: behind the instruction, for relative addresses.
    ///   - segmentBase: the base of `segment`; nil if unknown.
    package func address(
        in registers: RegisterSnapshot, nextInstruction: UInt64, segmentBase: UInt64?
    ) -> UInt64? {
        var sum = UInt64(bitPattern: displacement)
        if let base {
            // The saved instruction pointer is still at the instruction itself.
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
