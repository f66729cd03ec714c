// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct SignalContext {
    let architecture: Architecture
    let memory: CapturedMemory

    /// True if the code at `address` makes the rt_sigreturn system call, sigreturn(2).
    func isReturnPath(_ address: UInt64) -> Bool {
        guard let first = memory.word(at: address) else { return false }
        switch architecture {
        case .x86_64:
            // mov $15, %rax; syscall (glibc) or mov $15, %eax; syscall (musl)
            if first == 0x0f00_0000_0fc0_c748 {
                return memory.bytes(at: address &+ 8, count: 1).byte(at: 0) == 0x05
            }
            return first & 0x00ff_ffff_ffff_ffff == 0x0005_0f00_0000_0fb8
        case .aarch64:
            // mov x8, #139; svc #0
            return first == 0xd400_0001_d280_1168
        default: return false
        }
    }

    func interrupted(by frame: FrameState) -> FrameState? {
        switch architecture {
        case .x86_64: interruptedOnX86(stackPointer: frame.stackPointer)
        case .aarch64: interruptedOnARM(frame)
        default: nil
        }
    }

    // The stack pointer is at `struct ucontext`, asm-generic/ucontext.h: registers are 40 bytes in.
    private func interruptedOnX86(stackPointer: UInt64) -> FrameState? {
        let words = (0..<17).map { memory.stackWord(at: stackPointer &+ 40 &+ UInt64($0) * 8) }
        guard words.allSatisfy({ $0 != nil }), let rsp = words[15], let rip = words[16] else {
            return nil
        }
        // struct sigcontext: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
        let numbered = [
            words[13], words[12], words[14], words[11], words[9], words[8], words[10], rsp,
        ]
        var state = FrameState(
            instructionPointer: rip, stackPointer: rsp, framePointer: words[10])
        for (number, word) in (numbered + words[0..<8]).enumerated() {
            state.others[number] = word
        }
        state.isInterrupted = true
        return state
    }

    // A frame record follows `struct rt_sigframe` (4,688 bytes; arch/arm64/kernel/signal.c), and
    // the handler's frame pointer leads to it. A genuine record repeats the saved x29 and x30.
    private func interruptedOnARM(_ frame: FrameState) -> FrameState? {
        // From the handler's frame pointer, or from the stack pointer if a table led here.
        let starts = [frame.framePointer.map { $0 &- 4_688 }, frame.stackPointer]
        return starts.lazy.compactMap { $0.flatMap(self.interruptedOnARM) }.first
    }

    private func interruptedOnARM(frameStart: UInt64) -> FrameState? {
        let record = frameStart &+ 4_688
        // siginfo 128, uc_flags 8, uc_link 8, uc_stack 24, uc_sigmask 128, padding 8, address 8.
        let registers = frameStart &+ 312
        let words = (0..<33).map { memory.stackWord(at: registers &+ UInt64($0) * 8) }
        guard let fp = words[29], let lr = words[30], let sp = words[31], let pc = words[32],
            fp == memory.stackWord(at: record), lr == memory.stackWord(at: record &+ 8)
        else { return nil }
        var state = FrameState(instructionPointer: pc, stackPointer: sp, framePointer: fp)
        state.linkRegister = lr
        for (number, word) in words.prefix(29).enumerated() { state.others[number] = word }
        state.isInterrupted = true
        return state
    }
}
