// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Fatal signals and their codes: signal(7), sigaction(2), asm-generic/siginfo.h.
package enum SignalTable {
    /// A name from the C headers, and its meaning as a phrase for after a colon.
    package struct Entry: Sendable, Equatable {
        package let name: String
        package let meaning: String

        init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    package static func signal(_ number: Int32) -> Entry? {
        signals[number].map { Entry(name(of: number), $0.meaning) }
    }

    package static func name(of signal: Int32) -> String {
        Signal(rawValue: signal).description
    }

    /// `si_code`: the signal's own codes first, then common ones.
    package static func code(_ code: Int32, of signal: Int32) -> Entry? {
        signals[signal]?.codes[code] ?? commonCodes[code]
    }

    package static func hasAddress(signal: Int32, code: Int32) -> Bool {
        guard let row = signals[signal], let entry = row.codes[code] else { return false }
        return row.reportsAddress && !withoutAddress.contains(entry.name)
    }

    /// The kernel gives the address 0: `do_user_cp_fault` in arch/x86/kernel/cet.c, and tag checks that
    /// are asynchronous in arch/arm64/kernel.
    private static let withoutAddress: Set<String> = ["SEGV_CPERR", "SEGV_MTEAERR"]

    package static func hasAddress(signal: Int32) -> Bool {
        signals[signal]?.reportsAddress ?? false
    }

    package static func hasSender(code: Int32) -> Bool {
        [SignalCode.user, SignalCode.queue, SignalCode.messageQueue, SignalCode.threadKill]
            .contains(code)
    }
}

package enum SignalCode {
    package static let user: Int32 = 0
    package static let queue: Int32 = -1
    package static let messageQueue: Int32 = -3
    package static let threadKill: Int32 = -6
    package static let kernel: Int32 = 0x80
    package static let seccomp: Int32 = 1
}

package enum SignalNumber {
    package static let abort: Int32 = 6
    package static let bus: Int32 = 7
    package static let segmentationFault: Int32 = 11
    package static let illegalInstruction: Int32 = 4
    package static let trap: Int32 = 5
    package static let arithmetic: Int32 = 8
    package static let badSystemCall: Int32 = 31
    package static let cpuTime: Int32 = 24
    package static let fileSize: Int32 = 25
    /// Signals that an instruction can raise. Not SIGSYS, which points behind the system call.
    package static let faults: Set<Int32> = [
        illegalInstruction, trap, bus, arithmetic, segmentationFault,
    ]
}

private struct SignalRow {
    let meaning: String
    let reportsAddress: Bool
    let codes: [Int32: SignalTable.Entry]

    init(
        _ meaning: String, reportsAddress: Bool = false,
        _ codes: KeyValuePairs<Int32, (String, String)> = [:]
    ) {
        self.meaning = meaning
        self.reportsAddress = reportsAddress
        self.codes = Dictionary(
            codes.map { ($0.key, .init($0.value.0, $0.value.1)) },
            uniquingKeysWith: { first, _ in first })
    }
}

private let commonCodes: [Int32: SignalTable.Entry] = [
    0: .init("SI_USER", "sent with kill(2)"),
    0x80: .init("SI_KERNEL", "sent by the kernel"),
    -1: .init("SI_QUEUE", "sent with sigqueue(3)"),
    -2: .init("SI_TIMER", "a POSIX timer expired"),
    -3: .init("SI_MESGQ", "the state of a message queue changed"),
    -4: .init("SI_ASYNCIO", "asynchronous input or output completed"),
    -5: .init("SI_SIGIO", "sent by queued SIGIO"),
    -6: .init("SI_TKILL", "sent with tkill(2) or tgkill(2)"),
    -7: .init("SI_DETHREAD", "sent by execve(2) to end subsidiary threads"),
    -60: .init("SI_ASYNCNL", "an asynchronous name lookup completed"),
]

// The numbers of x86_64 and aarch64 agree.
private let signals: [Int32: SignalRow] = [
    1: SignalRow("hangup of the terminal"),
    2: SignalRow("interrupt from the keyboard"),
    3: SignalRow("quit from the keyboard"),
    4: SignalRow(
        "illegal instruction", reportsAddress: true,
        [
            1: ("ILL_ILLOPC", "illegal opcode"), 2: ("ILL_ILLOPN", "illegal operand"),
            3: ("ILL_ILLADR", "illegal addressing mode"), 4: ("ILL_ILLTRP", "illegal trap"),
            5: ("ILL_PRVOPC", "privileged opcode"), 6: ("ILL_PRVREG", "privileged register"),
            7: ("ILL_COPROC", "coprocessor error"), 8: ("ILL_BADSTK", "internal stack error"),
            9: ("ILL_BADIADDR", "unimplemented instruction address"),
        ]),
    5: SignalRow(
        "trace or breakpoint trap", reportsAddress: true,
        [
            1: ("TRAP_BRKPT", "process breakpoint"), 2: ("TRAP_TRACE", "process trace trap"),
            3: ("TRAP_BRANCH", "process taken branch trap"),
            4: ("TRAP_HWBKPT", "hardware breakpoint or watchpoint"),
            5: ("TRAP_UNK", "undiagnosed trap"), 6: ("TRAP_PERF", "performance event"),
        ]),
    6: SignalRow("abort"),
    7: SignalRow(
        "bus error", reportsAddress: true,
        [
            1: ("BUS_ADRALN", "invalid address alignment"),
            2: ("BUS_ADRERR", "nonexistent physical address"),
            3: ("BUS_OBJERR", "object-specific hardware error"),
            4: ("BUS_MCEERR_AR", "hardware memory error consumed: action required"),
            5: ("BUS_MCEERR_AO", "hardware memory error detected but not consumed"),
        ]),
    8: SignalRow(
        "arithmetic error", reportsAddress: true,
        [
            1: ("FPE_INTDIV", "integer divide by zero"), 2: ("FPE_INTOVF", "integer overflow"),
            3: ("FPE_FLTDIV", "floating-point divide by zero"),
            4: ("FPE_FLTOVF", "floating-point overflow"),
            5: ("FPE_FLTUND", "floating-point underflow"),
            6: ("FPE_FLTRES", "floating-point inexact result"),
            7: ("FPE_FLTINV", "floating-point invalid operation"),
            8: ("FPE_FLTSUB", "subscript out of range"),
            14: ("FPE_FLTUNK", "undiagnosed floating-point exception"),
            15: ("FPE_CONDTRAP", "trap on condition"),
        ]),
    11: SignalRow(
        "invalid memory reference", reportsAddress: true,
        [
            1: ("SEGV_MAPERR", "address not mapped to object"),
            2: ("SEGV_ACCERR", "invalid permissions for mapped object"),
            3: ("SEGV_BNDERR", "failed address bound checks"),
            4: ("SEGV_PKUERR", "access was denied by memory protection keys"),
            5: ("SEGV_ACCADI", "ADI not enabled for mapped object"),
            6: ("SEGV_ADIDERR", "disrupting memory corruption detected by ADI"),
            7: ("SEGV_ADIPERR", "precise memory corruption detected by ADI"),
            8: ("SEGV_MTEAERR", "asynchronous memory tag check fault"),
            9: ("SEGV_MTESERR", "synchronous memory tag check fault"),
            10: ("SEGV_CPERR", "control protection fault (shadow stack)"),
        ]),
    10: SignalRow("user-defined signal 1"),
    12: SignalRow("user-defined signal 2"),
    13: SignalRow("write to a pipe or socket that nobody reads"),
    14: SignalRow("alarm clock"), 15: SignalRow("request to end"),
    16: SignalRow("stack fault of a coprocessor"),
    24: SignalRow("CPU time limit exceeded"),
    25: SignalRow("file size limit exceeded"),
    26: SignalRow("virtual alarm clock"),
    27: SignalRow("profiling timer expired"),
    29: SignalRow("input or output is possible"),
    30: SignalRow("power failure"),
    31: SignalRow(
        "bad system call", reportsAddress: true,
        [
            1: ("SYS_SECCOMP", "system call denied by a seccomp filter"),
            2: ("SYS_USER_DISPATCH", "system call intercepted by user dispatch"),
        ]),
]
