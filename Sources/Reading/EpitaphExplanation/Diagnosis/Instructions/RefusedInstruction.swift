// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An instruction that programs may execute, and that the processor refused for what it was given,
/// not for where its memory is: Intel SDM 2, the instructions' own pages.
enum RefusedInstruction {
    static func diagnosis(_ instruction: DecodedInstruction) -> Diagnosis? {
        let mnemonic = instruction.mnemonic
        if let register = loadedSegment(instruction) {
            return diagnosis(
                "loaded the segment register \(register) with a selector that the processor "
                    + "refused, `\(instruction.text)`",
                "The selector names no segment that the program may use.", instruction)
        }
        if farReturns.contains(mnemonic) {
            return diagnosis(
                "executed a far return that the processor refused, `\(instruction.text)`",
                "The words that it takes from the stack are no address and code segment of a "
                    + "program.", instruction)
        }
        if stateLoads.contains(mnemonic) {
            return diagnosis(
                "loaded processor state that the processor refused, `\(instruction.text)`",
                "The bytes at its address set what is reserved or not supported.", instruction)
        }
        return nil
    }

    /// An instruction without memory, to which no address can have been the reason.
    static func withoutMemory(_ instruction: DecodedInstruction) -> Diagnosis? {
        guard instruction.memoryAccesses.isEmpty else { return nil }
        let reason =
            switch instruction.mnemonic {
            case "rdtsc", "rdtscp":
                "A program can forbid the processor's counter to itself (PR_SET_TSC, prctl(2))."
            default:
                "It uses no memory: what is in its registers, or the processor's state, forbids "
                    + "it."
            }
        return diagnosis(
            "executed `\(instruction.text)`, which the processor refused", reason, instruction)
    }

    /// `int 4` goes through a gate that programs may use: arch/x86/kernel/idt.c. The instruction
    /// pointer is behind it.
    static func overflow(_ scene: CrashScene) -> Diagnosis? {
        guard case .x86_64(let registers) = scene.registers, registers.trapNumber == 4 else {
            return nil
        }
        return Diagnosis(
            kind: .trap, headline: "raised the processor's overflow exception, as `int 4` does",
            "The instruction before the instruction pointer raised it.",
            evidence: "The trap's number is 4.")
    }

    private static func diagnosis(
        _ headline: String, _ statement: String, _ instruction: DecodedInstruction
    ) -> Diagnosis {
        Diagnosis(
            kind: .illegalInstruction, headline: headline, statement,
            evidence: "The signal's code is SI_KERNEL, without an address. The instruction at "
                + "fault is `\(instruction.text)`.")
    }

    private static let segments: Set<String> = ["ds", "es", "fs", "gs", "ss"]
    private static let farReturns: Set<String> = ["iret", "iretd", "iretq", "retf", "retfq"]
    private static let stateLoads: Set<String> = [
        "ldmxcsr", "vldmxcsr", "fxrstor", "fxrstor64", "xrstor", "xrstor64",
    ]

    private static func loadedSegment(_ instruction: DecodedInstruction) -> String? {
        if ["lfs", "lgs", "lss"].contains(instruction.mnemonic) {
            return String(instruction.mnemonic.dropFirst())
        }
        // Of `pop gs` capstone lists no operand, or by chance one: its text is the same each time.
        let words = instruction.text.split { $0 == " " || $0 == "," }.map(String.init)
        guard ["mov", "pop"].contains(instruction.mnemonic), words.count > 1,
            segments.contains(words[1])
        else { return nil }
        return words[1]
    }
}
