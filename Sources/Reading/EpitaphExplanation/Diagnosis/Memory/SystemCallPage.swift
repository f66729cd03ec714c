// SPDX-License-Identifier: Apache-2.0

/// x86_64: the kernel's page of old system calls, `[vsyscall]`. A program may call three addresses
/// in it, and nothing else. arch/x86/entry/vsyscall/vsyscall_64.c
enum SystemCallPage {
    static let addressRange: Range<UInt64> = 0xffff_ffff_ff60_0000..<0xffff_ffff_ff60_1000

    static func diagnosis(_ scene: CrashScene, at address: UInt64) -> Diagnosis? {
        guard scene.snapshot.architecture == .x86_64, addressRange.contains(address) else {
            return nil
        }
        return Diagnosis(
            kind: .inaccessibleMemory,
            headline: "\(scene.access.pastTense) \(address.hex), the kernel's [vsyscall] page",
            "The page is the kernel's and no memory of the process: programs may only call "
                + "functions in it.",
            evidence: "The page is at \(addressRange.lowerBound.hex) in every process.")
    }

    static func diagnosis(_ scene: CrashScene) -> Diagnosis? {
        guard scene.snapshot.architecture == .x86_64,
            let target = scene.registers?.instructionPointer, addressRange.contains(target)
        else { return nil }
        let isCall = [0, 0x400, 0x800].contains(target - addressRange.lowerBound)
        return Diagnosis(
            kind: .wildJump,
            headline: "called \(target.hex) in the kernel's [vsyscall] page"
                + (isCall ? ", which refused it" : ", where no function is"),
            isCall
                ? "The kernel refused the old system call there: its arguments lead to memory that "
                    + "cannot be written, or such calls are turned off."
                : "The page has functions at three addresses only.",
            evidence: "The program counter is \(target.hex).")
    }
}
