// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The length of an instruction, where it leads, and what it does to the stack and frame pointers:
/// all that is needed to know a function's frame from its code.
package struct CodeInstruction: Equatable {
    package enum Effect: Equatable {
        case none
        /// Of a register by the instruction's number for it, or of something else.
        case push(Int?)
        case pop(Int?)
        case moveStack(Int64)
        /// and $-bytes, %rsp
        case align(Int64)
        /// The stack pointer becomes unknown.
        case loseStack
        /// The frame pointer becomes the stack pointer and a distance.
        case makeFrame(Int64)
        /// The stack pointer becomes the frame pointer and a distance.
        case returnToFrame(Int64)
        case leave
        /// The frame pointer gets another value.
        case changeFramePointer
        /// rbp is stored on the stack, otherwise than by a push.
        case storeFramePointer
        /// Of two registers, by their places among those that a function preserves, at a distance
        /// above the stack pointer, which is then moved.
        case store(Int?, Int?, at: Int64, moving: Int64)
        case load(Int?, Int?, at: Int64, moving: Int64)
    }

    package enum Flow: Equatable {
        case next
        case call
        case jump(Int)
        case branch(Int)
        case indirectJump
        case end
    }

    package var length: Int
    package var effect = Effect.none
    /// Of jumps, the target as an index of the same bytes, perhaps outside of them.
    package var flow = Flow.next
    package var isPadding = false

    /// The instruction at `start`; nil if it is none, or cut.
    package init?(_ code: [UInt8], at start: Int, _ architecture: Architecture) {
        switch architecture {
        case .x86_64: self.init(x86: code, at: start)
        case .aarch64: self.init(arm64: code, at: start)
        default: return nil
        }
    }
}
