// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// The words of `siginfo_t` that Crashpad stores as exception parameters: sender and value of a
/// signal somebody sent, number and architecture of a system call that is not allowed.
enum SignalParameters {
    /// SIGSYS of signal(7), the same number on both architectures.
    private static let systemCallSignal: Int32 = 31
    /// Signals whose siginfo names a sender whatever their code: HUP, INT, QUIT, ABRT, USR1, USR2,
    /// PIPE, TERM, XCPU, XFSZ.
    private static let sentSignals: Set<Int32> = [1, 2, 3, 6, 10, 12, 13, 15, 24, 25]
    // Offsets in siginfo_t, 64-bit Linux: asm-generic/siginfo.h.
    private static let valueOffset = 24
    private static let callNumberOffset = 24
    private static let callArchitectureOffset = 28

    /// True when si_pid and si_uid mean something: sigaction(2), "The siginfo_t argument".
    private static func hasSender(_ exception: ExceptionSnapshot) -> Bool {
        // Codes up to zero are kill(2) and its kin, whatever the signal; 0x80 is SI_KERNEL.
        exception.code <= 0 || (sentSignals.contains(exception.signal) && exception.code != 0x80)
    }

    static func encode(_ exception: ExceptionSnapshot) -> [UInt64] {
        if exception.signal == systemCallSignal, exception.code > 0,
            let information = exception.signalInfo
        {
            var cursor = ByteCursor(information, offset: callNumberOffset)
            guard let number = try? cursor.read(UInt32.self),
                let architecture = try? cursor.read(UInt32.self)
            else { return [] }
            return [UInt64(number), UInt64(architecture)]
        }
        guard hasSender(exception), let sender = exception.senderProcessID else { return [] }
        var value: UInt64 = 0
        if let information = exception.signalInfo {
            var cursor = ByteCursor(information, offset: valueOffset)
            value = (try? cursor.read(UInt64.self)) ?? 0
        }
        return [
            UInt64(UInt32(bitPattern: sender)), UInt64(exception.senderUserID ?? 0), value,
        ]
    }

    static func decode(_ parameters: [UInt64], into exception: inout ExceptionSnapshot) {
        guard parameters.count == 3, hasSender(exception) else { return }
        exception.senderProcessID = Int32(truncatingIfNeeded: parameters[0])
        exception.senderUserID = UInt32(truncatingIfNeeded: parameters[1])
    }
}
