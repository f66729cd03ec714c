// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The signal that ended the process.
public struct ExceptionSnapshot: Sendable {
    /// signal(7); 0 where `foreign` says what happened.
    public var signal: Int32
    /// si_code, sigaction(2)
    public var code: Int32
    /// False where the dump has a signal without its code, which is 0 then: Breakpad long wrote none,
    /// and a dump may be cut between the two.
    public var isCodeKnown = true
    /// si_addr where the signal has one, otherwise 0.
    public var address: UInt64
    /// Nil when the dump was cut before it.
    public var threadID: UInt64?
    /// The registers at the fault. Not those of the handler, which the thread list may hold.
    public var registers: RegisterSnapshot?
    /// si_pid and si_uid for signals somebody sent.
    public var senderProcessID: Int32?
    public var senderUserID: UInt32?
    public var errorNumber: Int32?
    /// The kernel's `siginfo_t`, 128 bytes, as the handler got it.
    public var signalInfo: ByteSlice?
    /// The exception of a system that has no Linux signals; nil on Linux.
    public var foreign: ForeignException?

    public init(signal: Int32, code: Int32, address: UInt64) {
        self.signal = signal
        self.code = code
        self.address = address
    }
}
