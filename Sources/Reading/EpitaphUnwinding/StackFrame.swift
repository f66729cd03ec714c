// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A physical frame: a function that runs or waits for a call to return.
package struct StackFrame: Sendable, Equatable {
    package var instructionPointer: UInt64
    /// A lower bound on aarch64 without unwind tables; the context's address for an async caller.
    package var stackPointer: UInt64
    /// Inside the instruction: one less than a return address, which may be the next line's.
    package var lookupAddress: UInt64
    package var moduleIndex: Int?
    package var foundBy: FoundBy
    package var isSignalFrame: Bool
    package var omission: FrameOmission?

    /// The evidence for a frame, best first.
    package enum FoundBy: String, Sendable, CaseIterable {
        case registers
        case unwindTable
        /// Registers that the kernel saved for a signal handler.
        case signalContext
        /// Of a call to a place without code, a PLT stub or a function without a frame.
        case returnAddress
        /// The frame pointer of a function that made its frame, or the frame's size in its code;
        /// the call that returns to the frame names that function.
        case calledFrame
        /// A frame pointer that nothing else corroborates: it may be an outer function's.
        case framePointer
        /// A stack word behind a call that leads to the inner frame's function; an earlier call may
        /// have left it.
        case stackScan
        /// A stack word in code that is not at hand, or behind a call that may have led anywhere,
        /// and what tables find behind one: possible, no more.
        case stackGuess
        /// Awaits the frame before; found through a context. Its addresses are where it continues.
        case asyncContext
    }

    package init(
        instructionPointer: UInt64, stackPointer: UInt64, lookupAddress: UInt64,
        moduleIndex: Int?, foundBy: FoundBy, isSignalFrame: Bool = false,
        omission: FrameOmission? = nil
    ) {
        self.instructionPointer = instructionPointer
        self.stackPointer = stackPointer
        self.lookupAddress = lookupAddress
        self.moduleIndex = moduleIndex
        self.foundBy = foundBy
        self.isSignalFrame = isSignalFrame
        self.omission = omission
    }
}
