// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A signed return address that was changed: Arm ARM, "Pointer authentication"; Linux,
/// Documentation/arch/arm64/pointer-authentication.rst.
enum FailedSignature {
    /// The address without the mark that a processor without FEAT_FPAC leaves in it before it goes
    /// there: in bits 53 and 54 1 for the key A, 2 for B. Nil if there is none. An address of a
    /// program has 0 in all bits from 48.
    static func marked(_ address: UInt64) -> UInt64? {
        [0x20, 0x40].contains(address >> 48) ? address & 0xffff_ffff_ffff : nil
    }

    /// A processor with FEAT_FPAC stops at the instruction that checks the signature: `do_el0_fpac` in
    /// arch/arm64/kernel/traps.c, class 0x1c of the syndrome.
    static func diagnosis(_ scene: CrashScene) -> Diagnosis? {
        guard scene.reason.codeName == "ILL_ILLOPN", case .aarch64(let registers) = scene.registers,
            registers.syndrome >> 26 & 0x3f == 0x1c
        else { return nil }
        let evidence = "The signal's code is ILL_ILLOPN, and the syndrome's class is 0x1c."
        let word = scene.memory.integer(at: registers.pc, as: UInt32.self)
        guard let word, ofReturns.contains(word) else {
            return Diagnosis(
                kind: .wildJump, headline: "used a signed pointer that was overwritten",
                "The pointer's signature did not match.", evidence: evidence)
        }
        let address = registers.x[30]
        return Diagnosis(
            kind: .overwrittenReturnAddress,
            headline: "was about to return to \(address.hex), whose signature does not match: a "
                + "return address was overwritten",
            "The return address of a function was overwritten, as by a write past the end of a "
                + "buffer on the stack.", evidence: "\(evidence) x30 is \(address.hex).")
    }

    /// retaa, retab, autiaz, autiasp, autibz, autibsp: Arm ARM, C6.2.
    private static let ofReturns: Set<UInt32> = [
        0xd65f_0bff, 0xd65f_0fff, 0xd503_239f, 0xd503_23bf, 0xd503_23df, 0xd503_23ff,
    ]
}
