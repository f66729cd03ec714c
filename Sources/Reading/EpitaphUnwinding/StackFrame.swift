// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// One physical frame: a function that was running or waiting for a call to return.
package struct StackFrame: Sendable, Equatable {
    /// Where the frame continues: the program counter of the innermost frame, a return address in
    /// all others.
    package var instructionPointer: UInt64
    /// The stack pointer there. On aarch64 without unwind information, the lowest value it can
    /// have. For an async caller, which is not on the stack, the address of its context.
    package var stackPointer: UInt64
    /// An address inside the instruction that is being executed, with which functions and lines are
    /// looked up. It is one less than a return address, which may already belong to the next line
    /// or function.
    package var lookupAddress: UInt64
    /// Index into the snapshot's modules; nil outside of all modules.
    package var moduleIndex: Int?
    /// The evidence for the frame.
    package var foundBy: FoundBy
    /// The kernel's return path of a signal handler: the next frame is the code that the signal
    /// interrupted.
    package var isSignalFrame: Bool
    /// What is missing between this frame and the next inner one; nil if nothing is.
    package var omission: FrameOmission?

    /// How a frame was found, the best evidence first.
    package enum FoundBy: String, Sendable, CaseIterable {
        /// The thread's own registers.
        case registers
        /// Call frame information of the image.
        case unwindTable
        /// The registers that the kernel saved on the stack for a signal handler.
        case signalContext
        /// The return address of a call that got no further: the program jumped to an address
        /// without code, or was in a stub of the procedure linkage table or in a function that had
        /// made no frame.
        case returnAddress
        /// The chain of saved frame pointers.
        case framePointer
        /// A return address found on the stack behind a call instruction: likely, not certain.
        case stackScan
        /// A word on the stack that may be a return address: either the code it points to is not
        /// available, or what is above it cannot be its caller's frame. No more than possible.
        case stackGuess
        /// A Swift function that awaits the frame before it: its context was found in that frame,
        /// or in the context of the caller before. Instruction pointer and lookup address are where
        /// it will continue.
        case asyncContext
    }

    /// The defaults are those of an ordinary frame; nothing is derived from the others.
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
