// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// How to compute the caller's registers from one place in a function: a row of the table that call
/// frame information encodes. DWARF 5, 6.4.1.
package struct CallFrameRules: Sendable, Equatable {
    /// The stack pointer before the call. Everything else is counted from it.
    package enum FrameAddress: Sendable, Equatable {
        /// A register's value plus `offset` bytes; the number is DWARF's.
        case register(Int, offset: Int64)
        /// A DWARF expression.
        case expression(ByteSlice)
    }

    /// Where a register of the caller is.
    package enum RegisterRule: Sendable, Equatable {
        /// Lost. For the return address it means that there is no caller.
        case undefined
        /// The caller's value is this frame's.
        case sameValue
        /// In memory, this many bytes from the frame address.
        case offset(Int64)
        /// The value is the frame address plus this.
        case valueOffset(Int64)
        /// In another register of this frame, by its DWARF number.
        case register(Int)
        /// In memory, at the address that the expression computes.
        case expression(ByteSlice)
        /// The value is the result of the expression.
        case valueExpression(ByteSlice)
    }

    /// How the frame address is computed.
    package internal(set) var frameAddress: FrameAddress
    /// By DWARF number; registers without a rule are not listed.
    package internal(set) var registers: [(number: Int, rule: RegisterRule)]
    /// The DWARF number of the register that holds the return address.
    package let returnRegister: Int
    /// Whether the function is the return path of a signal handler: augmentation `S`, LSB Core,
    /// 10.6.1.1.
    package internal(set) var isSignalFrame = false
    /// The function, with addresses as in the file.
    package let addressRange: Range<UInt64>

    /// The rule of a register by its DWARF number; nil if there is none, and then the caller's
    /// value is this frame's.
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
