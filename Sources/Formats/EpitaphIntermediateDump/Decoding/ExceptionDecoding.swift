// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    /// SIGNAL_EXCEPTION; nil if the dump is cut before its first property.
    mutating func exception(_ map: DumpMap, _ architecture: Architecture) -> ExceptionSnapshot? {
        let info = payload(.signalInfo, in: map, count: SignalInfo.size)
        // 0 means unknown.
        let knownID = integer(.threadID, in: map, as: UInt64.self)
        let threadID = knownID == 0 ? nil : knownID
        let registers = registers(map, architecture)
        let signal =
            integer(.signalNumber, in: map, as: Int32.self)
            ?? info?.load(at: SignalInfo.signalOffset)
        let code =
            integer(.signalCode, in: map, as: Int32.self)
            ?? info?.load(at: SignalInfo.codeOffset)
        if signal == nil {
            note(.signalNumber, in: map, "the signal's number is missing")
            guard threadID != nil || registers != nil else { return nil }
        }
        var exception = ExceptionSnapshot(
            signal: signal ?? 0, code: code ?? 0, address: integer(.signalAddress, in: map) ?? 0)
        exception.isCodeKnown = code != nil
        exception.threadID = threadID
        exception.registers = registers
        exception.senderProcessID = integer(.signalSenderPID, in: map)
        exception.senderUserID = integer(.signalSenderUID, in: map)
        exception.errorNumber = integer(.signalErrno, in: map)
        exception.signalInfo = info
        return exception
    }
}

// siginfo_t, sigaction(2); the order of the first three ints in asm-generic/siginfo.h.
private enum SignalInfo {
    static let size = 128
    static let signalOffset = 0
    static let codeOffset = 8
}
