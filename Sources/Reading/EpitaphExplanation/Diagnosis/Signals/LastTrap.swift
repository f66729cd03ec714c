// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// A thread's last fault: the kernel keeps trap, error code and address, and saves them with every
/// signal (`setup_sigcontext`, arch/x86/kernel/signal_64.c; `fault_address`,
/// arch/arm64/kernel/signal.c). They may be stale, so the instruction must cause this fault.
enum LastTrap {
    static func exception(
        _ registers: RegisterSnapshot, of snapshot: ProcessSnapshot, _ memory: ReadableMemory
    ) -> ExceptionSnapshot? {
        candidates(registers, snapshot).first { candidate in
            let scene = CrashScene(
                candidate, DeathReason(candidate, of: snapshot), of: snapshot, stack: nil,
                memory: memory)
            return explainsItself(scene, registers.instructionPointer)
        }
    }

    // Intel SDM 3A, 6.15: 0 divide error, 6 invalid opcode, 13 general protection, 14 page fault.
    // Signal codes as in `force_sig_fault`, arch/x86/kernel/traps.c.
    private static func candidates(
        _ registers: RegisterSnapshot, _ snapshot: ProcessSnapshot
    ) -> [ExceptionSnapshot] {
        var found: [ExceptionSnapshot] = []
        switch registers {
        case .x86_64(let registers):
            switch registers.trapNumber {
            case 0:
                found = [.init(signal: SignalNumber.arithmetic, code: 1, address: registers.rip)]
            case 6:
                found = [
                    .init(signal: SignalNumber.illegalInstruction, code: 2, address: registers.rip)
                ]
            case 13:
                found = [
                    .init(
                        signal: SignalNumber.segmentationFault, code: SignalCode.kernel, address: 0)
                ]
            case 14:
                let access: DeathReason.Access =
                    registers.errorCode & 0x10 != 0
                    ? .execute : registers.errorCode & 2 != 0 ? .write : .read
                found = [pageFault(at: registers.cr2, access, snapshot)]
            default: break
            }
        case .aarch64(let registers):
            found =
                registers.faultAddress == 0
                ? [] : [pageFault(at: registers.faultAddress, nil, snapshot)]
        case .named, .pointers: break
        }
        for index in found.indices { found[index].registers = registers }
        return found
    }

    /// SEGV_MAPERR 1, SEGV_ACCERR 2; SIGBUS, BUS_ADRERR 2 if permitted memory is not there.
    private static func pageFault(
        at address: UInt64, _ access: DeathReason.Access?, _ snapshot: ProcessSnapshot
    ) -> ExceptionSnapshot {
        let mapping = snapshot.mappings.first { $0.addressRange.contains(address) }
        if let mapping, mapping.allows(access ?? .read) {
            return .init(signal: SignalNumber.bus, code: 2, address: address)
        }
        return .init(
            signal: SignalNumber.segmentationFault, code: mapping == nil ? 1 : 2, address: address)
    }

    private static func explainsItself(_ scene: CrashScene, _ pointer: UInt64) -> Bool {
        if scene.reason.access == .execute { return scene.reason.address == pointer }
        switch scene.exception.signal {
        case SignalNumber.arithmetic: return scene.instruction?.mnemonic.has("div") == true
        case SignalNumber.illegalInstruction:
            return scene.instruction.map { $0.mnemonic.hasPrefix("ud") } ?? false
        default:
            guard scene.reason.code == SignalCode.kernel else { return scene.fault != nil }
            let found = GeneralProtectionDiagnosis.diagnose(scene)?.kind
            return found != nil && found != .generalProtection
        }
    }
}
