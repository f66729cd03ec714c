// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The registers of one frame, as far as they are known; what the next step starts from.
struct FrameState {
    var instructionPointer: UInt64
    var stackPointer: UInt64
    /// rbp or x29; nil when it is not known what it held in this frame.
    var framePointer: UInt64?
    /// x30; only known in frames whose registers were saved.
    var linkRegister: UInt64?
    /// All x86_64 registers by DWARF number (psABI, figure 3.36), nil where not known; empty where
    /// only the pointers above are.
    var x86: [UInt64?] = []
    /// True for a thread's innermost frame and for one that a signal interrupted: the instruction
    /// at the instruction pointer did not complete. False where the instruction pointer is a return
    /// address.
    var isInterrupted: Bool

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
        switch registers {
        case .x86_64(let saved): x86 = X86.numbered(saved)
        case .aarch64(let saved): linkRegister = saved.x.count > 30 ? saved.x[30] : nil
        case .named, .pointers: break
        }
    }

    /// x86_64 registers by DWARF number, as libunwind is to see them: an instruction pointer inside
    /// the instruction that runs, because there is no other way to tell it that this is a return
    /// address.
    var tableRegisters: [UInt64?] {
        var registers = x86.isEmpty ? [UInt64?](repeating: nil, count: X86.rip + 1) : x86
        registers[X86.rbp] = framePointer
        registers[X86.rsp] = stackPointer
        registers[X86.rip] = lookupAddress
        return registers
    }

    var lookupAddress: UInt64 {
        isInterrupted || instructionPointer == 0 ? instructionPointer : instructionPointer - 1
    }
}

/// DWARF register numbers, System V psABI for x86_64, figure 3.36. libunwind numbers them the same
/// way.
enum X86 {
    static let rbp = 6
    static let rsp = 7
    static let rip = 16

    static func numbered(_ saved: X86Registers) -> [UInt64?] {
        [
            saved.rax, saved.rdx, saved.rcx, saved.rbx, saved.rsi, saved.rdi, saved.rbp,
            saved.rsp, saved.r8, saved.r9, saved.r10, saved.r11, saved.r12, saved.r13, saved.r14,
            saved.r15, saved.rip,
        ]
    }
}
