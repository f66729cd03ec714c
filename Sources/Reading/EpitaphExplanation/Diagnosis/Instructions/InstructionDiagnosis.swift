// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum InstructionDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        switch scene.exception.signal {
        case SignalNumber.illegalInstruction:
            guard scene.reason.sender == nil else { return nil }
            if lacksBytes(scene) { return nil }
            return LandingPad.diagnosis(scene) ?? FailedSignature.diagnosis(scene)
                ?? failedCheck(scene) ?? trap(scene)
                ?? illegal(scene)
        case SignalNumber.trap:
            guard scene.reason.sender == nil else { return nil }
            return failedCheck(scene) ?? trap(scene) ?? breakpoint(scene)
        default: return nil
        }
    }

    private static func lacksBytes(_ scene: CrashScene) -> Bool {
        guard scene.snapshot.isCut, scene.instruction == nil else { return false }
        return scene.registers.map {
            scene.memory.bytes(at: $0.instructionPointer, atMost: 1).isEmpty
        } ?? true
    }

    /// Swift release builds print nothing before they stop; debug information records the reason.
    private static func failedCheck(_ scene: CrashScene) -> Diagnosis? {
        guard isTrapInstruction(scene), let reason = TrapReason(scene.frames) else { return nil }
        let place = scene.placeInProgram.map { "in \($0)" } ?? "there"
        return Diagnosis(
            kind: reason.isSwift ? .swiftRuntimeFailure : .trap,
            headline: reason.isSwift
                ? "stopped with a Swift failure: \(reason.text)"
                : "stopped at a failed check: \(reason.text)",
            words: FailureWords(sort: reason.sort),
            "The compiler put a check \(place), which failed.",
            evidence: "The debug information names the trap \"\(reason.text)\".")
    }

    /// ud2 and ud1, which capstone calls ud2b: Intel SDM 2B, UD. brk and udf: Arm ARM, C6.2.
    private static let traps: Set<String> = [
        "ud2", "ud1", "ud2b", "ud0", "brk", "udf", "int3", "hlt",
    ]

    private static func isTrapInstruction(_ scene: CrashScene) -> Bool {
        if isUndefinedWord(scene) { return true }
        guard let instruction = scene.instruction else { return false }
        return traps.contains(instruction.mnemonic)
    }

    /// `udf #0` is four zero bytes; capstone 4 cannot decode it.
    private static func isUndefinedWord(_ scene: CrashScene) -> Bool {
        guard scene.snapshot.architecture == .aarch64, let registers = scene.registers else {
            return false
        }
        let bytes = scene.memory.bytes(at: registers.instructionPointer, atMost: 4)
        // Memory that nobody wrote to holds it, too.
        let mapping = scene.addressSpace?.mapping(at: registers.instructionPointer)
        return bytes.count == 4 && bytes[2] == 0 && bytes[3] == 0
            && (mapping?.hasFile != false || bytes[0] != 0 || bytes[1] != 0)
    }

    private static func trap(_ scene: CrashScene) -> Diagnosis? {
        guard isTrapInstruction(scene), scene.instruction?.mnemonic != "hlt" else { return nil }
        let isUD1 = scene.instruction?.mnemonic == "ud2b"
        let text = isUD1 ? "ud1" : scene.instruction?.text ?? "udf"
        if let check = SanitizerTrap(scene) { return check.diagnosis(scene, text) }
        guard text != "int3", text != "brk #0xf000" else { return nil }
        if let ending = EndingFunction(scene) { return ending.diagnosis(scene) }
        if let library = ofLibrary(scene, text) { return library }
        return Diagnosis(
            kind: .trap, headline: "stopped at a trap instruction, `\(text)`",
            "Compilers put it where a program must not go on: behind a failed check, or where "
                + "they believed no program comes.",
            evidence: "The instruction at fault is `\(text)`.")
    }

    /// Runtimes that trap on misuse; their message goes to standard error.
    private static let strictLibraries = [
        "libdispatch": "libdispatch", "libswift": "Swift's runtime", "libFoundation": "Foundation",
    ]

    /// `a_crash` of musl, arch/x86_64/atomic_arch.h: its allocator and __stack_chk_fail end so.
    static func ofMusl(_ scene: CrashScene) -> Diagnosis? {
        guard scene.instruction?.mnemonic == "hlt",
            let module = scene.frames.first?.place?.moduleName,
            module.hasPrefix("ld-musl") || module.hasPrefix("libc.musl")
        else { return nil }
        let called = scene.frames.prefix { $0.place?.moduleName == module }.last?.shortFunction
        return Diagnosis(
            kind: .trap, headline: "was stopped by musl\(called.map { " in \($0)" } ?? "")",
            "A check of the library failed: its memory was overwritten, or it was given what it "
                + "cannot use."
                + (scene.placeInProgram.map { " It was called from \($0)." } ?? ""),
            evidence: "The instruction at fault is `hlt`, in \(module).")
    }

    private static func ofLibrary(_ scene: CrashScene, _ instruction: String) -> Diagnosis? {
        guard let module = scene.frames.first?.place?.moduleName,
            let library = strictLibraries.first(where: { module.hasPrefix($0.key) })?.value
        else { return nil }
        let called = scene.frames.prefix { $0.place?.moduleName == module }.last?.shortFunction
        return Diagnosis(
            kind: .trap,
            headline: "was stopped by \(library)\(called.map { " in \($0)" } ?? "")",
            "A check of the library failed: it was used in a way it is not made for."
                + (scene.placeInProgram.map { " It was called from \($0)." } ?? ""),
            evidence: "The instruction at fault is `\(instruction)`, in \(module).")
    }

    private static func breakpoint(_ scene: CrashScene) -> Diagnosis {
        if let instruction = scene.instruction, ["int3", "brk"].contains(instruction.mnemonic) {
            return Diagnosis(
                kind: .trap,
                headline: "met a breakpoint, `\(instruction.text)`, without a debugger",
                "The program contains a breakpoint, or a debugger left one behind.",
                evidence: "The instruction at fault is `\(instruction.text)`.")
        }
        return Diagnosis(
            kind: .trap, headline: "met a trap: \(scene.reason.meaning)", "No debugger took it.",
            evidence: "The signal's code is "
                + "\(scene.reason.codeName ?? "\(scene.reason.code)").")
    }

    private static func illegal(_ scene: CrashScene) -> Diagnosis {
        var diagnosis = Diagnosis(
            kind: .illegalInstruction, headline: "executed an illegal instruction")
        let code = "The signal's code is \(scene.reason.codeName ?? "\(scene.reason.code)")."
        guard let instruction = scene.instruction else {
            let pointer = scene.registers?.instructionPointer
            let bytes = pointer.map { scene.memory.bytes(at: $0, atMost: 8) } ?? []
            guard !bytes.isEmpty else {
                diagnosis.add("Its bytes are not known.", evidence: code)
                return diagnosis
            }
            diagnosis.headline =
                "executed an illegal instruction: bytes that are no known instruction"
            let digits = bytes.map { [$0].hexDigits }.joined(separator: " ")
            diagnosis.add(
                "This may be data, damaged code or an instruction newer than the processor.",
                evidence: "\(code) The bytes are \(digits).")
            return diagnosis
        }
        if scene.snapshot.architecture == .aarch64,
            let privileged = PrivilegedInstruction.onARM64(instruction)
        {
            return privileged
        }
        diagnosis.headline = "executed an illegal instruction, `\(instruction.text)`"
        diagnosis.add("The processor refused it.", evidence: code)
        if let missing = MissingFeature.finding(instruction, scene.snapshot) {
            diagnosis.findings.insert(missing, at: 0)
        }
        return diagnosis
    }
}
