// SPDX-License-Identifier: Apache-2.0

/// The signal that ended the process.
package struct ExceptionSnapshot: Sendable {
    /// signal(7); 0 if `foreign` is set.
    package var signal: Int32
    /// si_code, sigaction(2)
    package var code: Int32
    /// False for a signal without its code (old Breakpad, a cut dump); `code` is then 0.
    package var isCodeKnown = true
    /// si_addr if the signal has one, otherwise 0.
    package var address: UInt64
    /// Nil if the dump was cut before it.
    package var threadID: UInt64?
    /// At the fault. The thread list may have those of the handler.
    package var registers: RegisterSnapshot?
    /// si_pid of a signal sent by a process.
    package var senderProcessID: Int32?
    /// si_uid: the sender's real user id.
    package var senderUserID: UInt32?
    /// si_errno; nil if not in the dump.
    package var errorNumber: Int32?
    /// The kernel's `siginfo_t`, 128 bytes, as the handler received it.
    package var signalInfo: ByteSlice?
    /// Nil on Linux.
    package var foreign: ForeignException?

    package init(signal: Int32, code: Int32, address: UInt64) {
        self.signal = signal
        self.code = code
        self.address = address
    }
}

/// A Mach exception of macOS, or an exception code of Windows, in the system's own numbers.
package struct ForeignException: Sendable, Equatable {
    package var system: OperatingSystem
    /// macOS: EXC_…, mach/exception_types.h. Windows: EXCEPTION_… or STATUS_…, ntstatus.h.
    package var code: UInt32
    /// macOS: the exception's first code. Windows: for example EXCEPTION_NONCONTINUABLE.
    package var flags: UInt32
    /// Of the instruction or of the memory it accessed, depending on the system.
    package var address: UInt64
    /// At most 15. macOS: exception and its codes. Windows: ExceptionInformation.
    package var parameters: [UInt64]

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
