// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An instruction used a forbidden address, and the kernel reported it.
enum MemoryFaultDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard scene.exception.signal == SignalNumber.segmentationFault,
            let address = scene.reason.address, !isExecute(scene)
        else { return nil }
        var diagnosis =
            NullPointer.diagnose(scene, address) ?? SystemCallPage.diagnosis(scene, at: address)
            ?? protectionFault(scene, address)
            ?? unmapped(scene, address)
        if let fault = scene.fault, let instruction = scene.instruction,
            diagnosis.kind != .nullDereference
        {
            diagnosis.findings.insert(
                .init(
                    "The address comes from \(registerList(fault)).",
                    evidence: fault.evidence(instruction)), at: 0)
        }
        return diagnosis
    }

    private static func isExecute(_ scene: CrashScene) -> Bool { scene.reason.access == .execute }

    static func registerList(_ fault: FaultingAccess) -> String {
        let names = fault.parts.map(\.name)
        return names.isEmpty ? "the instruction itself" : names.joined(separator: " and ")
    }

    /// ` (rax + 0x10)`; empty if the instruction is unknown.
    static func source(_ scene: CrashScene) -> String {
        guard let fault = scene.fault, !fault.parts.isEmpty else { return "" }
        return " (\(fault.expression))"
    }

    private static func protectionFault(
        _ scene: CrashScene, _ address: UInt64
    ) -> Diagnosis? {
        // SEGV_MAPERR is 1; all other codes mean memory whose permissions forbid the access.
        guard scene.reason.isCodeKnown, scene.reason.code != 1 else { return nil }
        let verb = scene.access.pastTense
        let place = "\(verb) \(address.hex)\(source(scene))"
        guard let mapping = scene.addressSpace?.mapping(at: address) else {
            return Diagnosis(
                kind: .inaccessibleMemory, headline: "\(place), which it may not",
                "The memory does not permit this.",
                evidence: "The signal's code is \(code(scene)).")
        }
        let isCode =
            mapping.isExecutable && mapping.hasFile ? scene.memory.isCode(at: address) : true
        let kind: Diagnosis.Kind =
            if mapping.isExecutable, scene.access == .write, isCode != false {
                .writeToCode
            } else if mapping.isReadable, !mapping.isWritable, scene.access == .write {
                .writeToReadOnly
            } else {
                .inaccessibleMemory
            }
        return Diagnosis(
            kind: kind, headline: "\(place) in \(mapping.phrase(isCode: isCode))",
            "The memory there is \(mapping.permissionWords).",
            evidence: "Its mapping is \(mapping.line), and the signal's code is "
                + "\(code(scene)).")
    }

    private static func code(_ scene: CrashScene) -> String {
        scene.reason.codeName ?? "\(scene.reason.code)"
    }

    private static func unmapped(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        let verb = scene.access.pastTense
        if let bit = kernelBit(scene), address >> bit & 1 == 1 {
            return ofKernel(scene, address, bit)
        }
        guard scene.reason.isCodeKnown else { return unexplained(scene, address) }
        var diagnosis = Diagnosis(
            kind: .unmappedAddress,
            headline: "\(verb) \(address.hex)\(source(scene)), where nothing is mapped",
            "There is no memory at this address.",
            evidence: "The signal's code is \(code(scene)).")
        guard let space = scene.addressSpace else { return diagnosis }
        if let mapping = space.mapping(at: address) {
            diagnosis.headline = "\(verb) \(address.hex)\(source(scene)) in \(mapping.phrase)"
            diagnosis.kind = .inaccessibleMemory
            if mapping.isGuarded(against: scene.reason) {
                diagnosis.findings = [
                    .init(
                        "A guard region is there (MADV_GUARD_INSTALL, madvise(2)), or the memory "
                            + "was mapped only after the fault.",
                        evidence: "Its mapping is \(mapping.line), and yet the signal's code is "
                            + "SEGV_MAPERR.")
                ]
            }
        } else if let near = neighbour(of: address, in: space) {
            diagnosis.findings.append(near)
        }
        return diagnosis
    }

    /// Which bit tells its half: Intel SDM 1, 3.3.7.1; Arm ARM, D8.2, "Selecting between TTBR0_ELx
    /// and TTBR1_ELx". Above may be a tag.
    private static func kernelBit(_ scene: CrashScene) -> UInt64? {
        switch scene.snapshot.architecture {
        case .x86_64: 63
        case .aarch64: 55
        default: nil
        }
    }

    /// The kernel does not tell what is in its own half: `bad_area` for it in arch/x86/mm/fault.c
    /// and `do_bad_area` in arch/arm64/mm/fault.c give SEGV_MAPERR.
    private static func ofKernel(
        _ scene: CrashScene, _ address: UInt64, _ bit: UInt64
    ) -> Diagnosis {
        Diagnosis(
            kind: .unmappedAddress,
            headline: "\(scene.access.pastTense) \(address.hex)\(source(scene)), an address of the "
                + "kernel",
            "The upper half of the addresses is the kernel's: no memory of a program is there.",
            evidence: "Bit \(bit) of the address is set.")
    }

    /// The dump has no signal code; the maps file may explain the address.
    private static func unexplained(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        let use = "\(scene.access.pastTense) \(address.hex)\(source(scene))"
        guard let space = scene.addressSpace else {
            return Diagnosis(kind: .inaccessibleMemory, headline: "\(use), which it may not")
        }
        if let mapping = space.mapping(at: address) {
            return Diagnosis(
                kind: .inaccessibleMemory, headline: "\(use) in \(mapping.phrase)")
        }
        return Diagnosis(
            kind: .unmappedAddress, headline: "\(use), where nothing is mapped",
            "There is no memory at this address.",
            evidence: "No line of \(space.source) holds it.")
    }

    private static func neighbour(
        of address: UInt64, in space: AddressSpace
    ) -> Diagnosis.Finding? {
        let near: UInt64 = 1 << 20
        if let below = space.mapping(below: address), below.isInUse,
            case let distance = address - below.addressRange.upperBound, distance < near
        {
            return .init(
                "It is \(distance.hex) bytes past the end of \(below.phrase).",
                evidence: "A line of \(space.source) is \(below.line).")
        }
        if let above = space.mapping(above: address), above.isInUse,
            case let distance = above.addressRange.lowerBound - address, distance < near
        {
            return .init(
                "It is \(distance.hex) bytes before the start of \(above.phrase).",
                evidence: "A line of \(space.source) is \(above.line).")
        }
        return nil
    }
}

extension DeathReason.Access? {
    var pastTense: String {
        switch self {
        case .read: "read from"
        case .write: "wrote to"
        case .execute: "tried to execute"
        case nil: "used"
        }
    }
}

extension MemoryMapping {
    /// Mapped, and the kernel says that nothing is: a guard region of madvise(2).
    func isGuarded(against reason: DeathReason) -> Bool {
        isInUse && reason.codeName == "SEGV_MAPERR"
    }

    fileprivate var permissionWords: String {
        guard isInUse else { return "reserved, and nobody may use it" }
        let words = [
            isReadable ? "readable" : "not readable", isWritable ? "writable" : "not writable",
            isExecutable ? "executable" : "not executable",
        ]
        return words.joined(separator: ", ")
    }
}
