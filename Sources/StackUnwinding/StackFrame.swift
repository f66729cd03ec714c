// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// One physical frame: a function that was running or waiting for a call to return.
public struct StackFrame: Sendable, Equatable {
    /// Where the frame goes on: the program counter of the innermost frame, a return address in all
    /// others.
    public var instructionPointer: UInt64
    /// The stack pointer there. On aarch64 without unwind information: the lowest value it can
    /// have. Of an async caller, which is not on the stack: the address of its context.
    public var stackPointer: UInt64
    /// An address inside the instruction that is being executed: what to look functions and lines
    /// up with. One less than a return address, which may already belong to the next line or
    /// function.
    public var lookupAddress: UInt64
    /// Index into the snapshot's modules; nil outside of all.
    public var moduleIndex: Int?
    public var foundBy: FoundBy
    /// The kernel's return path of a signal handler: the next frame is what the signal interrupted.
    public var isSignalFrame: Bool
    /// What stands between this frame and the next inner one and is not shown; nil for nothing.
    public var omission: FrameOmission?

    /// How a frame came to be known, best first.
    public enum FoundBy: String, Sendable, CaseIterable {
        /// The thread's own registers.
        case registers
        /// Call frame information of the image.
        case unwindTable
        /// The registers the kernel saved on the stack for a signal handler.
        case signalContext
        /// The return address of a call that came no further: the program jumped to an address
        /// without code, or was in a stub of the procedure linkage table, or in a function that had
        /// made no frame.
        case returnAddress
        /// The chain of saved frame pointers.
        case framePointer
        /// A return address behind a call instruction that lay on the stack: likely, not certain.
        case stackScan
        /// A word on the stack that may be a return address: the code it points to is nowhere at
        /// hand, or what lies above cannot be its caller's frame. Possible, no more.
        case stackGuess
        /// A Swift function that awaits the frame before it: its context was found in that frame,
        /// or in the context of the caller before. Its instruction pointer and lookup address are
        /// where it will go on.
        case asyncContext
    }

    public init(
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
