// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Words of `siginfo_t` that Crashpad stores as exception parameters: sender and value of a sent
/// signal; number and architecture of a forbidden system call.
enum SignalParameters {
    /// SIGSYS of signal(7), the same number on both architectures.
    private static let systemCallSignal: Int32 = 31
    /// Always have a sender: HUP, INT, QUIT, ABRT, USR1, USR2, PIPE, TERM, XCPU, XFSZ.
    private static let sentSignals: Set<Int32> = [1, 2, 3, 6, 10, 12, 13, 15, 24, 25]
    /// Signals of processor faults: ILL, TRAP, BUS, FPE, SEGV.
    static let faultSignals: Set<Int32> = [4, 5, 7, 8, 11]
    // Offsets in siginfo_t, 64-bit Linux: asm-generic/siginfo.h.
    private static let valueOffset = 24
    private static let callNumberOffset = 24

    /// Whether si_pid and si_uid are valid: sigaction(2), "The siginfo_t argument".
    private static func hasSender(_ exception: ExceptionSnapshot) -> Bool {
        // Codes up to zero come from kill(2) and similar calls; 0x80 is SI_KERNEL.
        exception.code <= 0 || (sentSignals.contains(exception.signal) && exception.code != 0x80)
    }

    /// What Crashpad lacks: trap number, error code, page fault's address of `struct sigcontext`; on
    /// aarch64 syndrome and address.
    private static func fault(_ exception: ExceptionSnapshot) -> [UInt64] {
        guard faultSignals.contains(exception.signal), exception.code > 0 else { return [] }
        switch exception.registers {
        case .x86_64(let registers) where registers.trapNumber != 0:
            return [registers.trapNumber, registers.errorCode, registers.cr2]
        case .aarch64(let registers) where registers.syndrome != 0:
            return [registers.syndrome, registers.faultAddress]
        default: return []
        }
    }

    static func encode(_ exception: ExceptionSnapshot) -> [UInt64] {
        if exception.signal == systemCallSignal, exception.code > 0,
            let information = exception.signalInfo
        {
            guard let number = information.load(at: callNumberOffset, as: UInt32.self),
                let architecture = information.load(at: callNumberOffset + 4, as: UInt32.self)
            else { return [] }
            return [UInt64(number), UInt64(architecture)]
        }
        guard hasSender(exception), let sender = exception.senderProcessID else {
            return fault(exception)
        }
        let value = exception.signalInfo?.load(at: valueOffset, as: UInt64.self) ?? 0
        return [
            UInt64(UInt32(bitPattern: sender)), UInt64(exception.senderUserID ?? 0), value,
        ]
    }

    static func decode(_ parameters: [UInt64], into exception: inout ExceptionSnapshot) {
        if exception.signal == systemCallSignal, exception.code > 0, parameters.count == 2 {
            exception.signalInfo = systemCallInfo(parameters, of: exception)
            return
        }
        if faultSignals.contains(exception.signal), exception.code > 0, parameters.count == 3,
            case .x86_64(var registers) = exception.registers
        {
            registers.trapNumber = parameters[0]
            registers.errorCode = parameters[1]
            registers.cr2 = parameters[2]
            exception.registers = .x86_64(registers)
            return
        }
        if faultSignals.contains(exception.signal), exception.code > 0, parameters.count == 2,
            case .aarch64(var registers) = exception.registers
        {
            registers.syndrome = parameters[0]
            registers.faultAddress = parameters[1]
            exception.registers = .aarch64(registers)
            return
        }
        guard parameters.count == 3, hasSender(exception) else { return }
        exception.senderProcessID = Int32(truncatingIfNeeded: parameters[0])
        exception.senderUserID = UInt32(truncatingIfNeeded: parameters[1])
    }

    /// The part of `siginfo_t` that can be reconstructed.
    private static func systemCallInfo(
        _ parameters: [UInt64], of exception: ExceptionSnapshot
    ) -> ByteSlice {
        var information = ByteBuilder()
        information.append(exception.signal)
        information.append(Int32(0))  // si_errno
        information.append(exception.code)
        information.append(Int32(0))  // alignment
        information.append(exception.address, UInt32(truncatingIfNeeded: parameters[0]))
        information.append(UInt32(truncatingIfNeeded: parameters[1]))
        information.appendZeros(128 - information.count)
        return ByteSlice(information.bytes)
    }
}
