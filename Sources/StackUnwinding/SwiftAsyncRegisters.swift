// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The registers an async context may be in.
struct SwiftAsyncRegisters {
    /// r14 or x22, in which it is passed: swift/docs/ABI/CallingConvention.rst.
    let context: UInt64?
    /// Those it may be moved to, because calls leave them alone: System V psABI for x86_64, figure
    /// 3.4; AAPCS64, 6.1.1.
    let others: [UInt64]

    /// - Parameter registers: tell the processor.
    init(_ state: FrameState, _ registers: RegisterSnapshot) {
        switch registers {
        case .x86_64:
            context = state.others[14]
            others =
                [state.framePointer].compactMap(\.self)
                + [3, 12, 13, 15].compactMap { state.others[$0] }
        case .aarch64:
            context = state.others[22]
            others = (19...28).filter { $0 != 22 }.compactMap { state.others[$0] }
        default:
            context = nil
            others = []
        }
    }
}
