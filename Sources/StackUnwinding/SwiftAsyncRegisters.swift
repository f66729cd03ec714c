// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The registers an async context may be in.
struct SwiftAsyncRegisters {
    /// r14 or x22, in which it is passed: swift/docs/ABI/CallingConvention.rst.
    let context: UInt64?
    /// Those it may be moved to, because calls leave them alone: System V psABI for x86_64, figure
    /// 3.4; AAPCS64, 6.1.1.
    let others: [UInt64]

    init(_ registers: RegisterSnapshot) {
        switch registers {
        case .x86_64(let saved): self.init(x86: X86.numbered(saved))
        case .aarch64(let saved): self.init(arm: saved.x)
        default: self.init(x86: [])
        }
    }

    /// - Parameter x86: by DWARF number.
    init(x86: [UInt64?]) {
        context = x86.indices.contains(14) ? x86[14] : nil
        others = [3, 6, 12, 13, 15].filter(x86.indices.contains).compactMap { x86[$0] }
    }

    private init(arm x: [UInt64]) {
        context = x.indices.contains(22) ? x[22] : nil
        others = (19...28).filter { $0 != 22 && x.indices.contains($0) }.map { x[$0] }
    }
}
