// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The known registers of one frame. The next step starts from them.
struct FrameState {
    var instructionPointer: UInt64
    var stackPointer: UInt64
    /// False if the stack pointer is at least this but may be higher.
    var isStackPointerExact = true
    /// rbp or x29; nil if its value in this frame is not known.
    var framePointer: UInt64?
    /// x30; only known in frames whose registers were saved.
    var linkRegister: UInt64?
    /// The other registers; the ones above are not stored here.
    var others = RegisterFile()
    /// True for a thread's innermost frame and for one that a signal interrupted: the instruction
    /// at the instruction pointer did not complete. False if the instruction pointer is a return
    /// address.
    var isInterrupted: Bool
    /// True if the frame was interrupted but the instruction in question is the one before the
    /// instruction pointer, as after a breakpoint.
    var isBehindInstruction = false

    /// A frame that a fallback found only the pointers of.
    init(instructionPointer: UInt64, stackPointer: UInt64, framePointer: UInt64?) {
        self.instructionPointer = instructionPointer
        self.stackPointer = stackPointer
        self.framePointer = framePointer
        isInterrupted = false
    }

    /// A thread's own registers.
    init(_ registers: RegisterSnapshot) {
        self.init(
            instructionPointer: registers.instructionPointer,
            stackPointer: registers.stackPointer, framePointer: registers.framePointer)
        isInterrupted = true
        others = RegisterFile(registers)
        if case .aarch64(let saved) = registers {
            linkRegister = saved.x.count > 30 ? saved.x[30] : nil
        }
    }

    /// The frame that a call returns to which changed nothing but the stack pointer.
    func returned(to address: UInt64, stackPointer: UInt64) -> FrameState {
        var caller = self
        caller.instructionPointer = address
        caller.stackPointer = stackPointer
        caller.isInterrupted = false
        caller.isBehindInstruction = false
        return caller
    }

    /// Any register by its DWARF number; nil when it is not known.
    func register(_ number: Int, _ roles: RegisterRoles) -> UInt64? {
        switch number {
        case roles.instructionPointer: instructionPointer
        case roles.stackPointer: isStackPointerExact ? stackPointer : nil
        case roles.framePointer: framePointer
        case roles.linkRegister: linkRegister
        default: others[number]
        }
    }
}
