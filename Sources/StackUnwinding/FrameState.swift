// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The registers of one frame, as far as they are known; what the next step starts from.
struct FrameState {
    var instructionPointer: UInt64
    var stackPointer: UInt64
    /// False if the stack pointer is at least this, and how much more is not known.
    var isStackPointerExact = true
    /// rbp or x29; nil when it is not known what it held in this frame.
    var framePointer: UInt64?
    /// x30; only known in frames whose registers were saved.
    var linkRegister: UInt64?
    /// The other registers. Those above are not looked up here.
    var others = RegisterFile()
    /// True for a thread's innermost frame and for one that a signal interrupted: the instruction
    /// at the instruction pointer did not complete. False where the instruction pointer is a return
    /// address.
    var isInterrupted: Bool
    /// True where the instruction that counts lies before the instruction pointer although the
    /// frame was interrupted: a breakpoint's.
    var isBehindInstruction = false

    /// A frame of which a fallback found just the pointers.
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
