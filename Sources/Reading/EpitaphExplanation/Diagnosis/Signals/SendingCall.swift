// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A system call by which a thread sent the fatal signal, found by the registers that a call keeps:
/// syscall(2). Needs no name, so it also finds syscall(2) itself and static programs.
enum SendingCall {
    /// Whether the thread had just returned from a call that sent this signal.
    static func isDone(in scene: CrashScene) -> Bool {
        guard let number = scene.snapshot.process.id, case let signal = scene.exception.signal
        else { return false }
        let process = UInt64(UInt32(bitPattern: number))
        func isOurs(_ value: UInt64) -> Bool {
            value == process || value == scene.exception.threadID
        }
        func isSignal(_ value: UInt64) -> Bool { value == UInt64(UInt32(bitPattern: signal)) }
        switch scene.registers {
        // The call left the address of the next instruction in rcx: Intel SDM 2B, SYSCALL.
        case .x86_64(let registers) where registers.rcx == registers.rip && registers.rax == 0:
            // kill(2), tkill(2) and rt_sigqueueinfo(2), or tgkill(2) and rt_tgsigqueueinfo(2).
            return isOurs(registers.rdi)
                && (isSignal(registers.rsi) || isOurs(registers.rsi) && isSignal(registers.rdx))
        // The result replaced the first argument.
        case .aarch64(let registers) where registers.x[0] == 0:
            guard
                let call = SystemCalls.name(
                    of: Int64(truncatingIfNeeded: registers.x[8]), on: .aarch64)
            else { return false }
            switch call {
            case "kill", "tkill", "rt_sigqueueinfo": return isSignal(registers.x[1])
            case "tgkill", "rt_tgsigqueueinfo":
                return isOurs(registers.x[1]) && isSignal(registers.x[2])
            default: return false
            }
        default: return false
        }
    }
}
