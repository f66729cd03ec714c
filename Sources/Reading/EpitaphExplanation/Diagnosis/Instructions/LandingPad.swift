// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An indirect branch to an instruction that is no landing pad, in a page that needs them: Arm ARM,
/// "Branch target identification"; PROT_BTI, Linux, Documentation/arch/arm64.
enum LandingPad {
    /// PSTATE.BTYPE is 0 but for the instruction that an indirect branch leads to, be its page
    /// guarded or not. Code and signal of an instruction that there is not are the same.
    static func diagnosis(_ scene: CrashScene) -> Diagnosis? {
        guard scene.reason.codeName == "ILL_ILLOPC", case .aarch64(let registers) = scene.registers,
            case let branch = registers.pstate >> 10 & 3, branch != 0,
            let instruction = scene.instruction, instruction.mnemonic != "udf"
        else { return nil }
        let isCall = branch == 2
        let target = scene.frames.first?.shortPlace ?? registers.pc.hex
        var diagnosis = Diagnosis(
            kind: .wildJump,
            headline: "\(isCall ? "called" : "jumped to") \(target), which is no landing pad",
            "A function pointer was overwritten, or it leads to code without landing pads in a page "
                + "that is mapped with PROT_BTI.",
            evidence: "The signal's code is ILL_ILLOPC, and PSTATE.BTYPE is \(branch): the "
                + "instruction, `\(instruction.text)`, is the first after "
                + "\(isCall ? "an indirect call" : "an indirect jump").")
        if isCall, let caller = JumpDiagnosis.caller(scene) { diagnosis.findings.append(caller) }
        return diagnosis
    }
}
