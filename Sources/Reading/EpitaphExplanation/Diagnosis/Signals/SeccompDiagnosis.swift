// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum SeccompDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard let number = scene.reason.systemCall else { return nil }
        let auditArchitecture = architecture(of: scene.exception)
        let name = name(of: number, auditArchitecture, scene)
        var diagnosis = Diagnosis(
            kind: .deniedSystemCall,
            headline: "made the system call \(name ?? "number \(number)"), which is not allowed",
            "A seccomp filter denied system call \(number)\(name.map { ", \($0)" } ?? "").",
            evidence: "The signal's code is SYS_SECCOMP, and it has the call's number.")
        if let frame = scene.frames.first, let place = frame.shortPlace {
            diagnosis.add(
                "The call was made in \(place).", evidence: "The registers at the signal.")
        }
        return diagnosis
    }

    // linux/audit.h: elf.h's machine, 64-bit, little-endian.
    private static let x86: UInt32 = 0xc000_003e
    private static let arm64: UInt32 = 0xc000_00b7

    /// A 64-bit program can also make 32-bit calls, which are numbered differently.
    private static func name(
        of number: Int32, _ architecture: UInt32?, _ scene: CrashScene
    ) -> String? {
        switch architecture {
        case x86?: SystemCalls.name(of: Int64(number), on: .x86_64)
        case arm64?: SystemCalls.name(of: Int64(number), on: .aarch64)
        default: nil
        }
    }

    // struct siginfo, asm-generic/siginfo.h: si_arch at 28.
    private static func architecture(of exception: ExceptionSnapshot) -> UInt32? {
        exception.signalInfo?.load(at: 28)
    }
}
