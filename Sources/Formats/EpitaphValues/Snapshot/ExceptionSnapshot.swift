// SPDX-License-Identifier: Apache-2.0

/// The signal that ended the process.
package struct ExceptionSnapshot: Sendable {
    /// signal(7); 0 where `foreign` says what happened.
    package var signal: Int32
    /// si_code, sigaction(2)
    package var code: Int32
    /// False where the dump has a signal without its code; `code` is 0 then. For years Breakpad
    /// wrote none, and a dump may be cut between the two.
    package var isCodeKnown = true
    /// si_addr where the signal has one, otherwise 0.
    package var address: UInt64
    /// Nil when the dump was cut before it.
    package var threadID: UInt64?
    /// The registers at the fault. Not those of the handler, which the thread list may hold.
    package var registers: RegisterSnapshot?
    /// si_pid and si_uid for signals that were sent by a process.
    package var senderProcessID: Int32?
    /// The real user id of the sender.
    package var senderUserID: UInt32?
    /// si_errno; nil if the dump does not have it.
    package var errorNumber: Int32?
    /// The kernel's `siginfo_t`, 128 bytes, as the handler received it.
    package var signalInfo: ByteSlice?
    /// The exception of a system that has no Linux signals; nil on Linux.
    package var foreign: ForeignException?

    /// What sigaction(2) calls si_signo, si_code and si_addr.
    package init(signal: Int32, code: Int32, address: UInt64) {
        self.signal = signal
        self.code = code
        self.address = address
    }
}

/// What ended a process on a system without Linux signals, in that system's own numbers: a Mach
/// exception of macOS, an exception code of Windows. None of these numbers is a signal.
package struct ForeignException: Sendable, Equatable {
    /// Whose numbers these are.
    package var system: OperatingSystem
    /// macOS: EXC_…, mach/exception_types.h. Windows: EXCEPTION_… or STATUS_…, ntstatus.h.
    package var code: UInt32
    /// macOS: the exception's first code. Windows: EXCEPTION_NONCONTINUABLE and the like.
    package var flags: UInt32
    /// Of the instruction, or of the memory it wanted; the systems differ.
    package var address: UInt64
    /// At most 15. macOS: exception and its codes. Windows: ExceptionInformation.
    package var parameters: [UInt64]

    /// Stores the numbers as they are, without a check that `system` has such an exception.
    package init(
        system: OperatingSystem, code: UInt32, flags: UInt32, address: UInt64,
        parameters: [UInt64] = []
    ) {
        self.system = system
        self.code = code
        self.flags = flags
        self.address = address
        self.parameters = parameters
    }
}
