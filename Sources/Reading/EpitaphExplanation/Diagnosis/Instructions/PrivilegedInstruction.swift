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
        guard isRefused else { return nil }
        return Diagnosis(
            kind: .illegalInstruction,
            headline: "executed a privileged instruction, `\(instruction.text)`, which only the "
                + "kernel may", "The instruction is privileged.", evidence: evidence)
    }
}
