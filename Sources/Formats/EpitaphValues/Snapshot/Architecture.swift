// SPDX-License-Identifier: Apache-2.0

/// The processor of a snapshot: ELF's `e_machine` (elf.h). Epitaph captures and unwinds only x86_64
/// and aarch64. Others occur in minidumps of other programs, which are shown without callers.
package enum Architecture: UInt16, Sendable, CaseIterable {
    /// Unknown, or without a name in this version.
    case unknown = 0
    case sparc = 2
    /// EM_386, 32-bit x86
    case x86 = 3
    case mips = 8
    /// EM_PPC, 32-bit
    case powerPC = 20
    case powerPC64 = 21
    /// EM_ARM, 32-bit
    case arm = 40
    /// EM_IA_64
    case itanium = 50
    case x86_64 = 62
    case aarch64 = 183
    case riscv = 243

    package static let captured: [Architecture] = [.x86_64, .aarch64]

    package var isCaptured: Bool { Self.captured.contains(self) }

    /// False also for an ELF machine of both widths, such as RISC-V.
    package var has32BitPointers: Bool {
        switch self {
        case .x86, .arm, .mips, .powerPC: true
        default: false
        }
    }

    package var name: String {
        switch self {
        case .unknown: "unknown processor"
        case .powerPC: "ppc"
        case .powerPC64: "ppc64"
        case .itanium: "ia64"
        case .sparc, .x86, .mips, .arm, .x86_64, .aarch64, .riscv: "\(self)"
        }
    }
}

/// The system of a crashed process: Linux, except in minidumps of other programs.
package enum OperatingSystem: Sendable, Hashable {
    /// With a PlatformId in MINIDUMP_SYSTEM_INFO: Microsoft's, or from 0x8000 on Breakpad's.
    case linux, android, macOS, iOS, windows, solaris, fuchsia
    /// Any other system, by its PlatformId.
    case other(UInt32)

    /// Whether signals, their codes, /proc and build ids have their Linux meaning.
    package var hasLinuxKernel: Bool { self == .linux || self == .android }

    package var name: String {
        switch self {
        case .linux: "Linux"
        case .android: "Android"
        case .macOS: "macOS"
        case .iOS: "iOS"
        case .windows: "Windows"
        case .solaris: "Solaris"
        case .fuchsia: "Fuchsia"
        case .other(let number): "system \(number.hex)"
        }
    }
}
