// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

struct ThreadWait: Equatable {
    let threadID: UInt64
    let call: String
    var lock: Lock?

    struct Lock: Equatable {
        let address: UInt64
        var owner: Owner?
    }

    struct Owner: Equatable {
        let threadID: UInt64
        let relation: Relation
        let evidence: String
    }

    enum Relation: Equatable {
        case holdsLock, isJoined
    }

    /// Calls that can sleep indefinitely, syscalls(2).
    private static let sleeping: Set<String> = [
        "futex", "futex_waitv", "futex_wait", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll",
        "ppoll", "select", "pselect6", "nanosleep", "clock_nanosleep", "pause", "rt_sigsuspend",
        "rt_sigtimedwait", "wait4", "waitid", "read", "readv", "recvfrom", "recvmsg", "recvmmsg",
        "accept", "accept4", "io_getevents", "io_pgetevents", "io_uring_enter", "semop",
        "semtimedop", "msgrcv", "mq_timedreceive", "flock",
    ]

    init?(_ thread: ExplainedThread, of architecture: Architecture, _ memory: ReadableMemory) {
        let interrupted = thread.registers.flatMap {
            InterruptedCall($0, of: architecture, memory)
        }
        let number = interrupted?.number ?? thread.thread.systemCall
        guard let number, let name = SystemCalls.name(of: number, on: architecture),
            Self.sleeping.contains(name)
        else { return nil }
        threadID = thread.thread.id
        call = name
        guard name == "futex" else { return }
        // For a thread that was not stopped, the kernel reported them.
        let arguments = interrupted?.arguments ?? thread.thread.futexArguments
        let frames = thread.stack?.frames ?? []
        lock = FutexCall(arguments, frames, memory).map {
            Lock(address: $0.address, owner: $0.owner)
        }
    }
}

struct InterruptedCall {
    let number: Int64
    let arguments: [UInt64]

    init?(_ registers: RegisterSnapshot, of architecture: Architecture, _ memory: ReadableMemory) {
        switch registers {
        case .x86_64(let registers):
            guard let number = Self.x86Number(registers, memory) else { return nil }
            self.number = number
            arguments = [registers.rdi, registers.rsi, registers.rdx]
        case .aarch64(let registers):
            guard registers.x.count > 8, Self.isInARMCall(registers, memory) else { return nil }
            number = Int64(bitPattern: registers.x[8])
            arguments = Array(registers.x[0..<3])
        case .named, .pointers: return nil
        }
    }

    /// EINTR, and the kernel's own ERESTARTSYS to ERESTART_RESTARTBLOCK: linux/errno.h.
    private static func wasInterrupted(_ result: UInt64) -> Bool {
        let result = Int64(bitPattern: result)
        return result == -4 || (-516...(-512)).contains(result)
    }

    /// A call that will restart has its number in rax, and rip is at `syscall`. After EINTR only
    /// the C library's `mov` before `syscall` has it: `handle_signal` in arch/x86/kernel/signal.c.
    private static func x86Number(_ registers: X86Registers, _ memory: ReadableMemory) -> Int64? {
        let syscall: [UInt8] = [0x0f, 0x05]
        if memory.bytes(at: registers.rip, atMost: 2) == syscall, registers.rax < 1024 {
            return Int64(registers.rax)
        }
        guard wasInterrupted(registers.rax), registers.rip >= 7 else { return nil }
        // mov eax, imm32: Intel SDM 2B.
        let code = memory.bytes(at: registers.rip - 7, atMost: 7)
        guard code.count == 7, code[0] == 0xb8, Array(code[5...]) == syscall else { return nil }
        return code[1...4].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The number stays in x8: arch/arm64/kernel/syscall.c.
    private static func isInARMCall(_ registers: ARM64Registers, _ memory: ReadableMemory) -> Bool {
        let svc: [UInt8] = [0x01, 0x00, 0x00, 0xd4]
        if memory.bytes(at: registers.pc, atMost: 4) == svc { return true }
        guard wasInterrupted(registers.x[0]), registers.pc >= 4 else { return false }
        return memory.bytes(at: registers.pc - 4, atMost: 4) == svc
    }
}
