// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// x86_64: refused, without an address. Intel SDM 3A, 6.15, interrupts 12 and 13.
enum GeneralProtectionDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard scene.snapshot.architecture == .x86_64, scene.reason.code == SignalCode.kernel,
            scene.exception.address == 0,
            [SignalNumber.segmentationFault, SignalNumber.bus].contains(scene.exception.signal)
        else { return nil }
        if let overflow = RefusedInstruction.overflow(scene) { return overflow }
        guard let instruction = scene.instruction, let registers = scene.registers else {
            guard var page = SystemCallPage.diagnosis(scene) else { return unknown(scene) }
            page.findings += [JumpDiagnosis.caller(scene)].compactMap(\.self)
            return page
        }
        if let stopped = InstructionDiagnosis.ofMusl(scene) { return stopped }
        let refused = RefusedInstruction.diagnosis(instruction)
        if refused == nil, let privileged = PrivilegedInstruction.diagnosis(instruction) {
            return privileged
        }
        if let target = jumpTarget(instruction, registers, scene) {
            if instruction.flow == .return {
                return OverwrittenReturn.diagnosis(
                    refused: instruction.text, to: target.address,
                    in: scene.frames.first { !$0.isInlined }?.shortPlace)
            }
            return wildJump(instruction, target)
        }
        let accesses = FaultingAccess.all(
            instruction, registers, segmentBase: scene.threadDataAddress)
        if let fault = accesses.first(where: { !GeneralProtection.isCanonical($0.address) }) {
            return nonCanonical(fault, instruction, scene)
        }
        for fault in accesses {
            guard let alignment = NeededAlignment.of(fault.access, in: instruction),
                fault.address % alignment != 0
            else { continue }
            return misaligned(fault, alignment, instruction)
        }
        return refused ?? RefusedInstruction.withoutMemory(instruction) ?? unknown(scene)
    }

    private static func nonCanonical(
        _ fault: FaultingAccess, _ instruction: DecodedInstruction, _ scene: CrashScene
    ) -> Diagnosis {
        let suspects = fault.parts.filter { !GeneralProtection.isCanonical($0.value) }
        var diagnosis = Diagnosis(
            kind: .nonCanonicalAddress,
            headline: "\(fault.direction.pastTense) the non-canonical address \(fault.address.hex)"
                + (fault.parts.isEmpty ? "" : " (\(fault.expression))"))
        let culprit = suspects.map(\.name).joined(separator: " and ")
        if let (pointer, place) = pointer(of: fault, scene), !culprit.isEmpty {
            diagnosis.add(
                "\(pointer) points to \(place), and \(culprit) leads from there out of the "
                    + "addresses that a program can have: it was computed wrongly or overwritten.",
                evidence: fault.evidence(instruction))
            return diagnosis
        }
        diagnosis.add(
            (culprit.isEmpty ? "The sum" : culprit)
                + " is not a pointer any program can have: bits 48 to 63 are unlike bit 47. "
                + "It was overwritten, or the memory it came from was.",
            evidence: fault.evidence(instruction))
        return diagnosis
    }

    /// A register that holds the address of memory, to which another one is added.
    private static func pointer(
        of fault: FaultingAccess, _ scene: CrashScene
    ) -> (name: String, place: String)? {
        for part in fault.parts {
            guard let mapping = scene.addressSpace?.mapping(at: part.value), mapping.isInUse else {
                continue
            }
            return (part.name, mapping.phrase)
        }
        return nil
    }

    /// The target of a call, jump or return, if it is not canonical.
    private static func jumpTarget(
        _ instruction: DecodedInstruction, _ registers: RegisterSnapshot, _ scene: CrashScene
    ) -> (name: String, address: UInt64)? {
        guard instruction.flow != .next else { return nil }
        if let register = instruction.operands.first?.register,
            let address = register.value(in: registers), !GeneralProtection.isCanonical(address)
        {
            return (register.name, address)
        }
        let pointers = FaultingAccess.all(
            instruction, registers, segmentBase: scene.threadDataAddress)
        guard let pointer = pointers.first(where: { $0.access.reads }),
            let address = scene.memory.integer(at: pointer.address, as: UInt64.self),
            !GeneralProtection.isCanonical(address)
        else { return nil }
        return ("the word at \(pointer.expression)", address)
    }

    private static func wildJump(
        _ instruction: DecodedInstruction, _ target: (name: String, address: UInt64)
    ) -> Diagnosis {
        let name = target.name
        return Diagnosis(
            kind: .wildJump,
            headline: "jumped through a wild pointer to the non-canonical address "
                + "\(target.address.hex) (\(name))",
            "\(name) is not a pointer any program can have: bits 48 to 63 are unlike bit 47.",
            evidence: "The instruction at fault is `\(instruction.text)`, and \(name) is "
                + "\(target.address.hex).")
    }

    private static func misaligned(
        _ fault: FaultingAccess, _ alignment: UInt64, _ instruction: DecodedInstruction
    ) -> Diagnosis {
        return Diagnosis(
            kind: .misalignedAccess,
            headline: "\(fault.direction.pastTense) \(fault.address.hex) (\(fault.expression)), "
                + "which is not a multiple of \(alignment)",
            "`\(instruction.mnemonic)` needs an address that is a multiple of \(alignment).",
            evidence: fault.evidence(instruction))
    }

    private static func unknown(_ scene: CrashScene) -> Diagnosis {
        var diagnosis = Diagnosis(
            kind: .generalProtection,
            headline: scene.instruction == nil
                ? "did what the processor refused to do"
                : "used memory the processor refused to use")
        diagnosis.findings = scene.reason.notes.map {
            .init($0, evidence: "The signal's code is SI_KERNEL, and the registers at the fault.")
        }
        return diagnosis
    }
}
