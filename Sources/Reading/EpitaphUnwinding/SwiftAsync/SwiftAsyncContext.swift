// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The beginning of an async function's context: AsyncContext, swift/ABI/Task.h.
struct SwiftAsyncContext: Equatable {
    /// From `swift_task_alloc`, aligned to 16: swift/ABI/MetadataValues.h, MaximumAlignment.
    let address: UInt64
    /// The awaiting function's context; 0 at the start of a task.
    let parent: UInt64
    /// The awaiting function continues here.
    let resumeAddress: UInt64

    static let alignment: UInt64 = 16

    init?(at address: UInt64, in memory: CapturedMemory, addressMask: UInt64) {
        guard address != 0, address % Self.alignment == 0,
            let parent = memory.stackWord(at: address),
            let resume = memory.stackWord(at: address &+ 8), parent % Self.alignment == 0
        else { return nil }
        self.address = address
        self.parent = parent
        resumeAddress = resume & addressMask
    }
}

struct SwiftAsyncRegisters {
    /// r14 or x22, which pass it: swift/docs/ABI/CallingConvention.rst.
    let context: UInt64?
    /// Callee-saved: System V psABI for x86_64, figure 3.4; AAPCS64, 6.1.1.
    let others: [UInt64]

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
