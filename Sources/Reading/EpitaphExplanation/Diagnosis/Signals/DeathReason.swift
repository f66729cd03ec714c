// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The cause of death, as far as the signal shows. No guesses: a part is nil without evidence.
package struct DeathReason: Sendable, Equatable {
    /// `SIGSEGV`
    package var signalName: String
    /// `SEGV_MAPERR`; nil for an unknown code.
    package var codeName: String?
    /// si_code, sigaction(2); 0 if `isCodeKnown` is false.
    package var code: Int32
    package var isCodeKnown = true
    /// `address not mapped to object`
    package var meaning: String
    /// The address that failed, or the instruction at fault; nil if the signal has none.
    package var address: UInt64?
    package var access: Access?
    package var sender: Sender?
    package var systemCall: Int32?
    package var notes: [String] = []

    package enum Access: String, Sendable {
        /// `execute` is an instruction fetch.
        case read, write, execute
    }

    package struct Sender: Sendable, Equatable {
        /// si_pid, in the dead process's PID namespace.
        package var processID: Int32
        /// si_uid, the sender's real user id.
        package var userID: UInt32?
        /// abort(3), raise(3).
        package var isTheProcessItself: Bool
    }

    package init(_ exception: ExceptionSnapshot, of snapshot: ProcessSnapshot) {
        if let foreign = exception.foreign {
            self.init(foreign)
        } else if exception.isCodeKnown {
            self.init(signal: exception, of: snapshot)
        } else {
            self.init(withoutCode: exception, of: snapshot)
        }
    }

    private init(signal exception: ExceptionSnapshot, of snapshot: ProcessSnapshot) {
        let signal = SignalTable.signal(exception.signal)
        let entry = SignalTable.code(exception.code, of: exception.signal)
        signalName = SignalTable.name(of: exception.signal)
        codeName = entry?.name
        code = exception.code
        meaning = entry?.meaning ?? signal?.meaning ?? "not a signal Epitaph knows"
        if exception.code == SignalCode.kernel, let signal {
            meaning = "\(signal.meaning), \(meaning)"
        }
        if SignalTable.hasAddress(signal: exception.signal, code: exception.code) {
            address = exception.address
        }
        if SignalTable.hasSender(code: exception.code) {
            sender = Sender(exception, of: snapshot)
        }
        access = Access(exception)
        systemCall = Self.deniedSystemCall(exception)
        notes = GeneralProtection.notes(exception, architecture: snapshot.architecture)
    }

    /// A limit's signal is the kernel's, whatever its code says: `ResourceLimitDiagnosis`.
    init(limit exception: ExceptionSnapshot, of snapshot: ProcessSnapshot) {
        self.init(exception, of: snapshot)
        guard sender != nil, let signal = SignalTable.signal(exception.signal) else { return }
        sender = nil
        meaning = "\(signal.meaning), sent by the kernel"
    }

    package var headline: String {
        guard isCodeKnown else { return "\(signalName): \(meaning)" }
        return "\(signalName) (\(codeName ?? "code \(code)")): \(meaning)"
    }

    private init(withoutCode exception: ExceptionSnapshot, of snapshot: ProcessSnapshot) {
        let signal = SignalTable.signal(exception.signal)
        signalName = SignalTable.name(of: exception.signal)
        code = exception.code
        isCodeKnown = false
        meaning = signal?.meaning ?? "not a signal Epitaph knows"
        sender = Sender(exception, of: snapshot)
        // A sent signal has no address.
        if sender == nil, SignalTable.hasAddress(signal: exception.signal) {
            address = exception.address
        }
    }

    // struct siginfo, asm-generic/siginfo.h: si_call_addr at 16, si_syscall at 24, si_arch at 28.
    private static func deniedSystemCall(_ exception: ExceptionSnapshot) -> Int32? {
        guard exception.signal == SignalNumber.badSystemCall,
            exception.code == SignalCode.seccomp
        else { return nil }
        return exception.signalInfo?.load(at: 24)
    }
}

extension DeathReason.Sender {
    init?(_ exception: ExceptionSnapshot, of snapshot: ProcessSnapshot) {
        guard let processID = exception.senderProcessID else { return nil }
        self.processID = processID
        userID = exception.senderUserID
        isTheProcessItself = processID == snapshot.process.id
    }
}

extension DeathReason.Access {
    init?(_ exception: ExceptionSnapshot) {
        guard
            [SignalNumber.segmentationFault, SignalNumber.bus].contains(exception.signal),
            SignalTable.hasAddress(signal: exception.signal, code: exception.code)
        else { return nil }
        switch exception.registers {
        case .x86_64(let registers): self.init(registers)
        case .aarch64(let registers): self.init(registers)
        case .named, .pointers, nil: return nil
        }
    }

    // Page fault (trap 14) error code, Intel SDM 3A, 4.7: bit 1 write, bit 4 instruction fetch. The
    // kernel keeps it for SIGBUS too: do_sigbus in arch/x86/mm/fault.c.
    private init?(_ registers: X86Registers) {
        guard registers.trapNumber == 14 else { return nil }
        if registers.errorCode & 0x10 != 0 {
            self = .execute
        } else {
            self = registers.errorCode & 0x2 != 0 ? .write : .read
        }
    }

    // Arm ARM, ESR_EL1: class 0x20 instruction abort, 0x24 data abort of a program; of this bit 6 write,
    // bit 8 cache maintenance, which only reads: is_write_abort in arch/arm64/mm/fault.c.
    private init?(_ registers: ARM64Registers) {
        switch registers.syndromeClass {
        case 0x20: self = .execute
        case 0x24: self = registers.syndrome & 0x140 == 0x40 ? .write : .read
        default: return nil
        }
    }
}

extension ARM64Registers {
    /// What kind of exception it was: Arm ARM, ESR_EL1, EC.
    var syndromeClass: UInt64 { syndrome >> 26 & 0x3f }
}

/// On x86_64 a non-canonical address (bits 48 to 63 differ from bit 47) causes trap 13, or trap 12
/// through rsp and rbp, without an address. Intel SDM 1, 3.3.7.1.
enum GeneralProtection {
    static func notes(_ exception: ExceptionSnapshot, architecture: Architecture) -> [String] {
        guard architecture == .x86_64, exception.code == SignalCode.kernel, exception.address == 0,
            [SignalNumber.segmentationFault, SignalNumber.bus].contains(exception.signal)
        else { return [] }
        var notes = [
            "The processor gave no address. It does so when an address is not canonical (its "
                + "bits 48 to 63 are unlike bit 47), as a corrupted or freed pointer often is, "
                + "and for a privileged instruction or a misaligned vector access."
        ]
        let suspects = (exception.registers?.named ?? []).filter {
            !["rip", "rflags"].contains($0.name) && !isCanonical($0.value)
        }
        if !suspects.isEmpty {
            let list = suspects.map { "\($0.name) = \($0.value.paddedHex)" }
            notes.append("Not canonical: " + list.joined(separator: ", ") + ".")
        }
        return notes
    }

    static func isCanonical(_ address: UInt64) -> Bool {
        let upper = address >> 47
        return upper == 0 || upper == 0x1ffff
    }
}
