// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Of MINIDUMP_SYSTEM_INFO: winnt.h, from 0x8001 on Breakpad's (minidump_format.h).
enum ProcessorNumber {
    private static let amd64: UInt16 = 9
    /// PROCESSOR_ARCHITECTURE_UNKNOWN
    private static let unknown: UInt16 = 0xffff
    private static let architectures: [UInt16: Architecture] = [
        0: .x86, 1: .mips, 3: .powerPC, 5: .arm, 6: .itanium, amd64: .x86_64, 12: .aarch64,
        0x8001: .sparc, 0x8002: .powerPC64, 0x8003: .aarch64, 0x8004: .mips, 0x8005: .riscv,
        0x8006: .riscv,
    ]

    static func architecture(_ number: UInt16) -> Architecture {
        architectures[number] ?? .unknown
    }

    static func of(_ architecture: Architecture) -> UInt16 {
        // If Breakpad and Microsoft both have a number, Breakpad's is the larger one.
        architectures.filter { $0.value == architecture }.keys.min() ?? unknown
    }
}

/// Of MINIDUMP_SYSTEM_INFO: winnt.h, from 0x8000 on Breakpad's (minidump_format.h).
enum PlatformNumber {
    private static let windowsNT: UInt32 = 2
    private static let systems: [UInt32: OperatingSystem] = [
        0: .windows, 1: .windows, windowsNT: .windows, 3: .windows, 0x8101: .macOS, 0x8102: .iOS,
        0x8201: .linux, 0x8202: .solaris, 0x8203: .android, 0x8206: .fuchsia,
    ]

    static func operatingSystem(_ number: UInt32) -> OperatingSystem {
        systems[number] ?? .other(number)
    }

    static func of(_ system: OperatingSystem) -> UInt32 {
        switch system {
        case .other(let number): number
        case .windows: windowsNT
        default: systems.first { $0.value == system }?.key ?? 0
        }
    }
}

extension Architecture {
    /// Windows, Breakpad and Crashpad may sign-extend addresses of 32-bit processes to 64 bits.
    func address(_ stored: UInt64) -> UInt64 {
        has32BitPointers ? stored & 0xffff_ffff : stored
    }
}
