// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct FrameState {
    var instructionPointer: UInt64
    var stackPointer: UInt64
    var isStackPointerExact = true
    /// rbp or x29; nil if unknown in this frame.
    var framePointer: UInt64?
    /// x30; only known in frames whose registers were saved.
    var linkRegister: UInt64?
    var others = RegisterFile()
    /// The innermost frame and one interrupted by a signal: the instruction there did not complete.
    /// Otherwise the instruction pointer is a return address.
    var isInterrupted: Bool
    /// True if the frame was interrupted behind the instruction in question, as after a breakpoint.
    var isBehindInstruction = false

    init(instructionPointer: UInt64, stackPointer: UInt64, framePointer: UInt64?) {
        self.instructionPointer = instructionPointer
        self.stackPointer = stackPointer
        self.framePointer = framePointer
        isInterrupted = false
    }

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

    func returned(to address: UInt64, stackPointer: UInt64) -> FrameState {
        var caller = self
        caller.instructionPointer = address
        caller.stackPointer = stackPointer
        caller.isInterrupted = false
        caller.isBehindInstruction = false
        return caller
    }

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
