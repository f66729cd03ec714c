// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The tag in bits 56 to 59 of a pointer is not that of the memory: Linux,
/// Documentation/arch/arm64/memory-tagging-extension.rst.
enum MemoryTagDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        switch scene.reason.codeName {
        case "SEGV_MTESERR": ofAccess(scene)
        case "SEGV_MTEAERR": ofEarlierAccess(scene)
        default: nil
        }
    }

    private static func ofAccess(_ scene: CrashScene) -> Diagnosis? {
        guard let address = scene.reason.address else { return nil }
        let tag = scene.fault.map { "the tag \($0.address >> 56 & 0xf), which" } ?? "a tag that"
        var diagnosis = Diagnosis(
            kind: .memoryTagMismatch,
            headline: "\(scene.access.pastTense) \(address.hex)"
                + "\(MemoryFaultDiagnosis.source(scene)) through a pointer with \(tag) is not the "
                + "memory's")
        let use = scene.instruction.flatMap { scene.fault?.evidence($0) }.map { " \($0)" } ?? ""
        diagnosis.add(blame, evidence: "The signal's code is SEGV_MTESERR.\(use)")
        return diagnosis
    }

    /// The kernel tells it when the thread enters it next, without an address: `do_notify_resume` in
    /// arch/arm64/kernel.
    private static func ofEarlierAccess(_ scene: CrashScene) -> Diagnosis {
        Diagnosis(
            kind: .memoryTagMismatch,
            headline:
                "used memory through a pointer with a tag that is not the memory's, some time "
                + "before", "\(blame) The thread did it since its system call before.",
            evidence: "The signal's code is SEGV_MTEAERR.")
    }

    private static let blame =
        "Allocators that tag memory give a block another tag than its neighbours', and another when "
        + "it is freed: it was freed before, or the address lies beside the pointer's block."
}
