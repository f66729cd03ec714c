// SPDX-License-Identifier: Apache-2.0

/// The system a crashed process ran on. Epitaph captures on Linux alone; the others are in
/// minidumps that other programs wrote.
public enum OperatingSystem: Sendable, Hashable {
    case linux, android, macOS, iOS, windows, solaris, fuchsia
    /// Another one, by its number in a minidump.
    case other(UInt32)

    /// Whether the kernel is Linux, and with it signals, their codes, /proc and build ids are what
    /// Epitaph knows.
    public var hasLinuxKernel: Bool { self == .linux || self == .android }

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
