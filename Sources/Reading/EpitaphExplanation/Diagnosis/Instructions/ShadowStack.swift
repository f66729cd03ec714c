// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The processor keeps return addresses a second time: Intel SDM 1, 17; Linux,
/// Documentation/arch/x86/shstk.rst.
enum ShadowStack {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard scene.reason.codeName == "SEGV_CPERR", case .x86_64(let registers) = scene.registers
        else { return nil }
        let evidence = "The signal's code is SEGV_CPERR, the processor's \(registers.errorCode)."
        // Control protection exception, SDM 3A, 6.15: 1 is a near return, which has taken nothing yet.
        guard registers.errorCode & 0x7fff == 1,
            let target = scene.memory.integer(at: registers.rsp, as: UInt64.self)
        else {
            return Diagnosis(
                kind: .trap, headline: "was stopped by the processor's control-flow protection",
                "A return, a jump or a change of stacks was not the one the processor allows.",
                evidence: evidence)
        }
        return Diagnosis(
            kind: .overwrittenReturnAddress,
            headline: "returned to \(target.hex), which is not where the call came from",
            "A return address was overwritten, or code changed stacks and not the shadow stack.",
            evidence: "\(evidence) The word that the return takes is \(target.hex).")
    }
}
