// SPDX-License-Identifier: Apache-2.0

/// The processor a snapshot was taken on. Raw values are ELF's `e_machine` (elf.h), as in the
/// intermediate dump.
///
/// Epitaph captures and unwinds x86_64 and aarch64 alone. The others are in minidumps that other
/// programs wrote; what such a dump says is shown, without callers.
public enum Architecture: UInt16, Sendable, CaseIterable {
    /// Not known, or a processor this version has no name for.
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

    /// The usual name, for people and for JSON.
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

/// The system a crashed process ran on. Epitaph captures on Linux alone; the others are in
/// minidumps that other programs wrote.
public enum OperatingSystem: Sendable, Hashable {
    case linux, android, macOS, iOS, windows, solaris, fuchsia
    /// Another one, by its number in a minidump.
    case other(UInt32)

    /// Whether the kernel is Linux, and with it signals, their codes, /proc and build ids are what
    /// Epitaph knows.
    public var hasLinuxKernel: Bool { self == .linux || self == .android }

    /// The usual name, for people and for JSON.
    public var name: String {
        switch self {
        case .linux: "Linux"
        case .android: "Android"
        case .macOS: "macOS"
        case .iOS: "iOS"
        case .windows: "Windows"
        case .solaris: "Solaris"
        case .fuchsia: "Fuchsia"
        case .other(let number): "system 0x" + String(number, radix: 16)
        }
    }
}
