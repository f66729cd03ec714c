// SPDX-License-Identifier: Apache-2.0

/// The notes of a core that are read and written: elf.h, core(5).
enum NoteType {
    /// Registers of a thread, and what the kernel says of it: `struct elf_prstatus`.
    static let threadStatus: UInt32 = 1
    /// Floating-point registers: `user_fpregs_struct`, `user_fpsimd_state`.
    static let floatingPoint: UInt32 = 2
    /// The process: `struct elf_prpsinfo`.
    static let processInfo: UInt32 = 3
    /// The auxiliary vector, getauxval(3).
    static let auxiliaryVector: UInt32 = 6
    /// x86: the XSAVE area.
    static let extendedState: UInt32 = 0x202
    /// aarch64: TPIDR_EL0.
    static let threadPointer: UInt32 = 0x401
    /// aarch64: which bits of a pointer hold an authentication code.
    static let pointerMask: UInt32 = 0x406
    /// `siginfo_t` of the signal: "SIGI".
    static let signalInfo: UInt32 = 0x5349_4749
    /// Mapped files: "FILE".
    static let mappedFiles: UInt32 = 0x4649_4c45
}

/// Entries of the auxiliary vector, elf.h.
enum AuxiliaryType {
    static let programHeaders: UInt64 = 3
    static let pageSize: UInt64 = 6
    static let loaderBase: UInt64 = 7
    static let entry: UInt64 = 9
    static let platform: UInt64 = 15
    static let capabilities: UInt64 = 16
    static let random: UInt64 = 25
    static let capabilities2: UInt64 = 26
    static let fileName: UInt64 = 31
    static let vdso: UInt64 = 33
}
