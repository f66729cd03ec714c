// SPDX-License-Identifier: Apache-2.0

import Bytes

/// How to get from one place in a function to its caller's registers: a row of the table that call
/// frame information stands for. DWARF 5, 6.4.1.
public struct CallFrameRules: Sendable, Equatable {
    /// What the stack pointer was before the call; all else counts from there.
    public enum FrameAddress: Sendable, Equatable {
        case register(Int, offset: Int64)
        /// A DWARF expression.
        case expression(ByteSlice)
    }

    /// Where a register of the caller is.
    public enum RegisterRule: Sendable, Equatable {
        /// Lost; of the return address: there is no caller.
        case undefined
        case sameValue
        /// In memory, so far from the frame address.
        case offset(Int64)
        /// The frame address plus this, itself.
        case valueOffset(Int64)
        case register(Int)
        /// In memory, where the expression says.
        case expression(ByteSlice)
        /// What the expression says, itself.
        case valueExpression(ByteSlice)
    }

    public internal(set) var frameAddress: FrameAddress
    /// By DWARF number; registers of which nothing is said are not listed.
    public internal(set) var registers: [(number: Int, rule: RegisterRule)]
    public let returnRegister: Int
    public let isSignalFrame: Bool
    /// The function, with addresses as in the file.
    public let addressRange: Range<UInt64>

    public func rule(for register: Int) -> RegisterRule? {
        registers.first { $0.number == register }?.rule
    }

    public static func == (left: CallFrameRules, right: CallFrameRules) -> Bool {
        left.frameAddress == right.frameAddress && left.returnRegister == right.returnRegister
            && left.isSignalFrame == right.isSignalFrame
            && left.addressRange == right.addressRange
            && left.registers.count == right.registers.count
            && zip(left.registers, right.registers).allSatisfy {
                $0.number == $1.number && $0.rule == $1.rule
            }
    }
}
