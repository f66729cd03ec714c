// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The caller's registers at one place: a row of the call frame table. DWARF 5, 6.4.1.
package struct CallFrameRules: Sendable, Equatable {
    package enum FrameAddress: Sendable, Equatable {
        case register(Int, offset: Int64)
        case expression(ByteSlice)
    }

    package enum RegisterRule: Sendable, Equatable {
        /// Lost. For the return address: there is no caller.
        case undefined
        case sameValue
        case offset(Int64)
        /// The frame address plus this.
        case valueOffset(Int64)
        case register(Int)
        case expression(ByteSlice)
        case valueExpression(ByteSlice)
    }

    package internal(set) var frameAddress: FrameAddress
    /// By DWARF number; registers without a rule are omitted.
    package internal(set) var registers: [(number: Int, rule: RegisterRule)]
    package let returnRegister: Int
    package let isSignalFrame: Bool
    package let addressRange: Range<UInt64>

    package init(
        frameAddress: FrameAddress, registers: [(number: Int, rule: RegisterRule)],
        returnRegister: Int, isSignalFrame: Bool = false, addressRange: Range<UInt64>
    ) {
        self.frameAddress = frameAddress
        self.registers = registers
        self.returnRegister = returnRegister
        self.isSignalFrame = isSignalFrame
        self.addressRange = addressRange
    }

    /// A register's rule by DWARF number; nil means the same value as in this frame.
    package func rule(for register: Int) -> RegisterRule? {
        registers.first { $0.number == register }?.rule
    }

    package static func == (left: CallFrameRules, right: CallFrameRules) -> Bool {
        left.frameAddress == right.frameAddress && left.returnRegister == right.returnRegister
            && left.isSignalFrame == right.isSignalFrame
            && left.addressRange == right.addressRange
            && left.registers.count == right.registers.count
            && zip(left.registers, right.registers).allSatisfy {
                $0.number == $1.number && $0.rule == $1.rule
            }
    }
}
