// SPDX-License-Identifier: Apache-2.0

/// The processor a snapshot was taken on. Raw values are ELF's `e_machine` (elf.h), as in the
/// intermediate dump.
public enum Architecture: UInt16, Sendable, CaseIterable {
    case x86_64 = 62
    case aarch64 = 183

    public var name: String {
        switch self {
        case .x86_64: "x86_64"
        case .aarch64: "aarch64"
        }
    }
}
