// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum JumpDiagnosis {
    /// Nothing is mapped below this: vm.mmap_min_addr, Documentation/admin-guide/sysctl/vm.rst.
    private static let nullPage: UInt64 = 4096

    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        let signals = [
            SignalNumber.segmentationFault, SignalNumber.bus, SignalNumber.illegalInstruction,
        ]
        guard signals.contains(scene.exception.signal), let registers = scene.registers,
            case let target = registers.instructionPointer, isAtTarget(scene, target)
        else { return nil }
        if let lost = LostCode.diagnosis(of: target, scene) { return lost }
        guard var diagnosis = diagnosis(of: target, scene) else { return nil }
        if let returned = OverwrittenReturn.diagnosis(to: target, scene) {
            // It may be code that is not there any more.
            let mayBeLost = scene.lacksMaps && target >= nullPage
            if mayBeLost, scene.isCanonical(target) { return nil }
            return Self.merged(returned, diagnosis)
        }
        if let library = scene.snapshot.unloadedModule(at: target) {
            diagnosis = UnloadedLibrary.diagnosis(
                of: target, in: library, verb: "called a function of",
                evidence: diagnosis.findings[0].evidence)
        } else if let doubt = OverwrittenReturn.doubt(about: target, scene) {
            if [.nullJump, .wildJump].contains(diagnosis.kind) {
                diagnosis.kind = .wildJump
                diagnosis.headline = "jumped to \(target.hex), where no code is"
            }
            diagnosis.add(
                "A function was called through a pointer of this value, or a return address was "
                    + "overwritten with it.", evidence: doubt)
            return diagnosis
        }
        if let caller = caller(scene) { diagnosis.findings.append(caller) }
        return diagnosis
    }

    private static func isAtTarget(_ scene: CrashScene, _ target: UInt64) -> Bool {
        if !scene.isCanonical(target) { return true }
        if scene.exception.signal == SignalNumber.illegalInstruction { return false }
        return isJump(scene, to: target)
    }

    /// Whether the address that failed is that of an instruction.
    static func isJump(_ scene: CrashScene, to target: UInt64) -> Bool {
        guard scene.registers?.instructionPointer == target else { return false }
        return scene.reason.access == .execute
            || scene.reason.address == target && scene.reason.access == nil
    }

    private static func diagnosis(of target: UInt64, _ scene: CrashScene) -> Diagnosis? {
        let pointer = "The program counter is \(target.hex), the address that could not be used."
        if target < nullPage {
            let offset = target == 0 ? "" : " (address \(target.hex))"
            return Diagnosis(
                kind: .nullJump, headline: "called a function through a null pointer\(offset)",
                "There is no code at this address.", evidence: pointer)
        }
        if let page = SystemCallPage.diagnosis(scene) { return page }
        if scene.reason.codeName == "BUS_ADRALN" {
            return Diagnosis(
                kind: .wildJump, headline: "jumped to \(target.hex), where no instruction can be",
                "Instructions are at multiples of four.",
                evidence: "\(pointer) The signal's code is BUS_ADRALN.")
        }
        if let mapping = scene.addressSpace?.mapping(at: target) {
            guard !mapping.isExecutable else { return nil }
            return Diagnosis(
                kind: .executeData, headline: "tried to execute data at \(target.hex)",
                "The address lies in \(mapping.phrase), which is not code.",
                evidence: "\(pointer) Its mapping is \(mapping.line).")
        }
        // SEGV_ACCERR: memory that is not executable.
        if scene.exception.signal == SignalNumber.segmentationFault, scene.reason.code == 2 {
            return Diagnosis(
                kind: .executeData, headline: "tried to execute data at \(target.hex)",
                "The memory there may not be executed.",
                evidence: "\(pointer) The signal's code is SEGV_ACCERR.")
        }
        let isUnmapped =
            scene.exception.signal == SignalNumber.segmentationFault && scene.reason.code == 1
            || !scene.isCanonical(target)
        guard isUnmapped || !scene.lacksMaps else { return nil }
        var diagnosis = Diagnosis(
            kind: .wildJump, headline: "jumped through a wild pointer to \(target.hex)")
        let maps = scene.addressSpace.map { " No line of \($0.source) holds it." } ?? ""
        diagnosis.add("There is no code at this address.", evidence: pointer + maps)
        if UnloadedLibrary.mayHold(target, scene) {
            diagnosis.add(
                "The pointer is wild, or leads to a library that was unloaded (dlclose).",
                evidence: "Libraries are loaded where it leads to.")
        }
        return diagnosis
    }

    private static func merged(_ returned: Diagnosis, _ place: Diagnosis) -> Diagnosis {
        var diagnosis = returned
        diagnosis.findings += place.findings
        return diagnosis
    }

    static func caller(_ scene: CrashScene) -> Diagnosis.Finding? {
        guard let jump = scene.frames.firstIndex(where: { !$0.isInlined }),
            scene.frames.count > jump + 1
        else { return nil }
        let caller = scene.frames[jump + 1]
        guard let place = caller.shortPlace else { return nil }
        if caller.foundBy == .returnAddress {
            let witness =
                scene.snapshot.architecture == .aarch64
                ? "x30 holds" : "The word the stack pointer points to is"
            let called = scene.memory.directCallTarget(returningTo: caller.address)
            let isOther = called.map { $0 != scene.registers?.instructionPointer } ?? false
            return .init(
                "The jump came from \(isOther ? "code that \(place) called and that made no frame" : place).",
                evidence: "\(witness) a return address behind a call, \(caller.address.hex).")
        }
        return nil
    }
}
