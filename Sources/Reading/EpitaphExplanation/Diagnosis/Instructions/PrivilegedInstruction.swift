// SPDX-License-Identifier: Apache-2.0

enum PrivilegedInstruction {
    /// Intel SDM 3A, 5.9; SDM 1, 19.5.1 (I/O privilege). Capstone groups only some.
    private static let names: Set<String> = [
        "cli", "clts", "hlt", "in", "invd", "invlpg", "invpcid", "lgdt", "lidt",
        "lldt", "lmsw", "ltr", "out", "rdmsr", "rdpmc", "sti", "swapgs", "sysexit", "sysret",
        "wbinvd", "wrmsr", "xsetbv",
    ]
    /// `insb`, `rep outsd`
    private static let stringMoves: Set<String> = [
        "insb", "insw", "insd", "outsb", "outsw", "outsd",
    ]

    static func diagnosis(_ instruction: DecodedInstruction) -> Diagnosis? {
        let evidence = "The instruction at fault is `\(instruction.text)`."
        // INT n checks the gate's privilege: SDM 2A, INT n.
        if instruction.mnemonic == "int" {
            return Diagnosis(
                kind: .illegalInstruction,
                headline: "called an interrupt that programs may not call, `\(instruction.text)`",
                "The kernel lets programs call few interrupts, as 0x80 for system calls.",
                evidence: evidence)
        }
        let words = instruction.text.split(separator: " ").map(String.init)
        let isRefused =
            instruction.isPrivileged || names.contains(instruction.mnemonic)
            || words.contains(where: stringMoves.contains)
        return isRefused ? privileged(instruction) : nil
    }

    private static func privileged(_ instruction: DecodedInstruction) -> Diagnosis {
        Diagnosis(
            kind: .illegalInstruction,
            headline: "executed a privileged instruction, `\(instruction.text)`, which only the "
                + "kernel may", "The instruction is privileged.",
            evidence: "The instruction at fault is `\(instruction.text)`.")
    }

    /// aarch64 refuses them as it does undefined ones: Arm ARM, D1.3.
    static func onARM64(_ instruction: DecodedInstruction) -> Diagnosis? {
        let word = UInt32(truncatingIfNeeded: instruction.bytes.prefix(4).littleEndian)
        // System instructions have the level that may use them in op1, 3 for programs: C5.1. The
        // interrupt mask has 3, too, and is the kernel's under Linux (SCTLR_EL1.UMA).
        let isSystem = word & 0xffc0_0000 == 0xd500_0000
        let isOfKernel = isSystem && (word >> 16 & 7 != 3 || instruction.text.has("daif"))
        // HVC, SMC; ERET, ERETAA and ERETAB: C6.2.
        let isCall = [0xd400_0002, 0xd400_0003].contains(word & 0xffe0_001f)
        let isReturn = word & 0xffff_f3ff == 0xd69f_03e0 || word & 0xffff_fbff == 0xd69f_0bff
        return isOfKernel || isCall || isReturn ? privileged(instruction) : nil
    }
}
