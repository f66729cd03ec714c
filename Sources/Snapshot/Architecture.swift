// SPDX-License-Identifier: Apache-2.0

/// The processor a snapshot was taken on. Raw values are ELF's `e_machine` (elf.h), as in the
/// intermediate dump.
///
/// Epitaph captures and unwinds x86_64 and aarch64 alone. The others are in minidumps that other
/// programs wrote; what such a dump says is shown, without callers.
public enum Architecture: UInt16, Sendable, CaseIterable {
    /// Nothing tells, or a processor this version has no name for.
    case unknown = 0
    case sparc = 2
    case x86 = 3
    case mips = 8
    case powerPC = 20
    case powerPC64 = 21
    case arm = 40
    case itanium = 50
    case x86_64 = 62
    case aarch64 = 183
    case riscv = 243

    /// Those Epitaph captures, and whose stacks it unwinds.
    public static let captured: [Architecture] = [.x86_64, .aarch64]

    /// Whether Epitaph captures it, and unwinds its stacks.
    public var isCaptured: Bool { self == .x86_64 || self == .aarch64 }

    /// False also where both exist.
    public var has32BitPointers: Bool {
        switch self {
        case .x86, .arm, .mips, .powerPC: true
        default: false
        }
    }

    public var name: String {
        switch self {
        case .unknown: "unknown processor"
        case .sparc: "sparc"
        case .x86: "x86"
        case .mips: "mips"
        case .powerPC: "ppc"
        case .powerPC64: "ppc64"
        case .arm: "arm"
        case .itanium: "ia64"
        case .x86_64: "x86_64"
        case .aarch64: "aarch64"
        case .riscv: "riscv"
        }
    }
}
