// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Recognises a death by a breakpoint instruction of x86_64, after which the instruction pointer is
/// behind it: Intel SDM 2A, INT3 is a trap, and traps are reported behind the instruction that
/// raised them. What follows may belong to the next line, or to the next function.
struct TrapInstruction {
    let memory: CapturedMemory

    func isBefore(_ exception: ExceptionSnapshot, _ snapshot: ProcessSnapshot) -> Bool {
        // SIGTRAP, signal(7). SI_KERNEL is the code that the kernel gives int3
        // (arch/x86/kernel/traps.c), TRAP_BRKPT what sigaction(2) documents; single steps and
        // signals sent by a process have other codes.
        guard snapshot.architecture == .x86_64, exception.signal == 5,
            exception.isCodeKnown, exception.code == 0x80 || exception.code == 1,
            let address = (exception.registers ?? snapshot.crashingThread?.registers)?
                .instructionPointer, address > 1
        else { return false }
        let code = memory.bytes(at: address - 2, count: 2).array
        // int3, or int $3; if the code is not known, the kernel's signal code is enough.
        return code.isEmpty || code.last == 0xcc || code == [0xcd, 0x03]
    }
}
