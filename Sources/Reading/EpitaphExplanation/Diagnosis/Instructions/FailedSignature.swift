// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A signed return address that was changed: Arm ARM, "Pointer authentication"; Linux,
/// Documentation/arch/arm64/pointer-authentication.rst.
enum FailedSignature {
    /// Whether a return to the signed `link` ended at `target`. A processor without FEAT_FPAC marks the
    /// address before it goes there: in bits 53 and 54 1 for the key A, 2 for B. An address of a
    /// program has 0 there, and 48 bits or, with FEAT_LPA2, 52; the signature is above. The top byte
    /// is a tag, which every return leaves out.
    static func leads(from link: UInt64, to target: UInt64) -> Bool {
        [2, 4].contains(target >> 52) && (target ^ link) << 8 != 0
            && isSigned(link, address: target)
    }

    /// Whether a return to the signed `link` ended at `target` because the signature matched: by
    /// chance one of eight does that has three bits, as beside addresses of 52 bits.
    static func matches(_ link: UInt64, to target: UInt64) -> Bool {
        target >> 52 == 0 && isSigned(link, address: target)
    }

    private static func isSigned(_ link: UInt64, address target: UInt64) -> Bool {
        let other = target ^ link
        return other << 16 == 0 && (target >> 48 & 0xf == 0 || other << 12 == 0)
    }

    /// A processor with FEAT_FPAC stops at the instruction that checks the signature: `do_el0_fpac` in
    /// arch/arm64/kernel/traps.c, class 0x1c of the syndrome.
    static func diagnosis(_ scene: CrashScene) -> Diagnosis? {
        guard scene.reason.codeName == "ILL_ILLOPN", case .aarch64(let registers) = scene.registers,
            registers.syndromeClass == 0x1c
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
