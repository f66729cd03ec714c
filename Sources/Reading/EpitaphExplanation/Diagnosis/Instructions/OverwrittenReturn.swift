// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum OverwrittenReturn {
    static func diagnosis(to target: UInt64, _ scene: CrashScene) -> Diagnosis? {
        guard let evidence = evidence(target, scene) else { return nil }
        if let library = scene.snapshot.unloadedModule(at: target) {
            return UnloadedLibrary.diagnosis(
                of: target, in: library, verb: "returned into", evidence: evidence)
        }
        if UnloadedLibrary.mayHold(target, scene) {
            return UnloadedLibrary.diagnosis(returningTo: target, evidence: evidence)
        }
        var diagnosis = diagnosis(
            target, isCanonical: scene.isCanonical(target), evidence: evidence)
        if case .aarch64(let registers) = scene.registers,
            FailedSignature.leads(from: registers.x[30], to: target)
        {
            diagnosis.headline =
                "returned to \(target.hex), whose signature did not match: a return address was "
                + "overwritten"
            diagnosis.findings[0].evidence +=
                " Bits 53 and 54 of the program counter are the mark of a signature that fails."
        }
        if target == 0 { diagnosis.headline = "returned to address 0: the stack was overwritten" }
        return diagnosis
    }

    static func diagnosis(
        refused instruction: String, to target: UInt64, in function: String?
    ) -> Diagnosis {
        var diagnosis = diagnosis(
            target, isCanonical: GeneralProtection.isCanonical(target),
            evidence:
                "The instruction at fault is `\(instruction)`, and the word it takes from the "
                + "stack is \(target.hex).")
        guard let function else { return diagnosis }
        diagnosis.findings[0].statement =
            "The return address of \(function) was overwritten, as by a write past the end of a "
            + "buffer on the stack."
        return diagnosis
    }

    private static func diagnosis(
        _ target: UInt64, isCanonical: Bool, evidence: String
    ) -> Diagnosis {
        let what = isCanonical ? "where no code is" : "a non-canonical address"
        return Diagnosis(
            kind: .overwrittenReturnAddress,
            headline: "returned to \(target.hex), \(what): a return address was overwritten",
            "The return address of a function was overwritten, as by a write past the end of a "
                + "buffer on the stack.", evidence: evidence)
    }

    /// Why a return as well as a call can have led there; nil if not.
    static func doubt(about target: UInt64, _ scene: CrashScene) -> String? {
        guard case .x86_64(let registers) = scene.registers, isJustPopped(target, registers, scene)
        else { return nil }
        let taken =
            "The word just below the stack pointer, which a return takes, is the address, and "
        if isAboveUnknownCode(registers, scene) {
            return taken + "what is before the code that the one above it points to is not known."
        }
        // Zeros are common there.
        return target == 0 ? nil : taken + "the one above it is a return address behind a call."
    }

    /// Whether the stack pointer points to the address of code of which nothing is known: there may
    /// be a call before it, to anywhere.
    private static func isAboveUnknownCode(_ registers: X86Registers, _ scene: CrashScene) -> Bool {
        guard let word = scene.memory.integer(at: registers.rsp, as: UInt64.self),
            scene.addressSpace?.mapping(at: word)?.isExecutable == true
        else { return false }
        return scene.memory.bytes(at: word &- 1, atMost: 1).isEmpty
            && scene.memory.fileBytes(at: word &- 1, atMost: 1).isEmpty
    }

    /// `ret` takes the word that is below the stack pointer then: Intel SDM 2B, RET.
    private static func isJustPopped(
        _ target: UInt64, _ registers: X86Registers, _ scene: CrashScene
    ) -> Bool {
        scene.memory.integer(at: registers.rsp &- 8, as: UInt64.self) == target
    }

    private static func evidence(_ target: UInt64, _ scene: CrashScene) -> String? {
        switch scene.registers {
        case .x86_64(let registers):
            guard isJustPopped(target, registers, scene) else { return nil }
            let next = scene.frames.dropFirst().first
            let isReturnAddress = next?.foundBy == .returnAddress
            let wasCalled = isReturnAddress && !isBehindCallOfOther(next, target, scene)
            guard !wasCalled, !isAboveUnknownCode(registers, scene) else { return nil }
            // Zeros are common there, and a cut dump may lack the module with the call.
            guard target != 0 || !(isReturnAddress || scene.snapshot.isCut) else { return nil }
            return "The word just below the stack pointer, which a return takes, is the address "
                + "\(target.hex), and the one above it is no return address of a call that leads "
                + "there."
        case .aarch64(let registers):
            // `ret` jumps to x30 and keeps it; `blr` writes a return address there. The program
            // counter gets no tag: Arm ARM, AArch64.BranchAddr.
            let link = registers.x[30]
            guard
                link << 8 == target << 8 || FailedSignature.leads(from: link, to: target)
                    || FailedSignature.matches(link, to: target)
            else { return nil }
            return "x30, which a return goes to and a call writes, is the address \(link.hex)."
        case .named, .pointers, nil: return nil
        }
    }

    /// True if the call before the return address names another target.
    private static func isBehindCallOfOther(
        _ caller: ReportFrame?, _ target: UInt64, _ scene: CrashScene
    ) -> Bool {
        guard let caller, target != 0,
            let place = scene.memory.directCallTarget(returningTo: caller.address)
        else { return false }
        return place != target
    }
}
