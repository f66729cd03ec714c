// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The calls a thread was in, innermost first, and why no more of them are known.
package struct Backtrace: Sendable, Equatable {
    /// At most as many as the unwinder's limit; empty if the registers are not known.
    package var frames: [StackFrame]
    /// Why `frames` has no more than these.
    package var end: End
    /// Why `frames` has no more awaiting callers than these; nil if no async function of Swift runs
    /// in this thread.
    package var asyncEnd: AsyncEnd?

    /// Why a backtrace ends where it does.
    package enum End: Sendable, Equatable {
        /// The outermost frame was reached: its unwind information marks it, or its return address
        /// is 0.
        case reachedEnd
        /// The thread's registers are not in the snapshot.
        case noRegisters
        /// Memory the next step needs is not in the snapshot.
        case noMemory(address: UInt64)
        /// Nothing leads any further: there is no unwind table, no frame pointer and no return
        /// address that can be verified.
        case noUnwindInformation
        /// The caller's address would not be in executable memory: the stack was overwritten, or
        /// the table is wrong.
        case badReturnAddress(UInt64)
        /// No call instruction precedes the caller's address: the stack was overwritten.
        case notACall(UInt64)
        /// There is unwind information, but it cannot be used.
        case badUnwindInformation
        /// The next step would not move up the stack, so the walk would go in circles.
        case cycle
        /// A processor whose stacks Epitaph cannot read.
        case unsupportedProcessor(String)
        /// There are more frames than this limit.
        case limit(Int)
    }

    /// The two must agree: `.reachedEnd` claims that `frames` is complete.
    package init(frames: [StackFrame], end: End) {
        self.frames = frames
        self.end = end
    }
}

extension Backtrace.End: CustomStringConvertible {
    /// The reason as a sentence without a full stop.
    package var description: String {
        switch self {
        case .reachedEnd: "the outermost frame was reached"
        case .noRegisters: "the registers of this thread were not captured"
        case .noMemory(let address): "the memory at \(address.hex) was not captured"
        case .noUnwindInformation: "nothing tells who called this frame"
        case .badReturnAddress(let address):
            "the return address \(address.hex) is not executable: the stack is damaged"
        case .notACall(let address):
            "no call returns to \(address.hex): the stack is damaged"
        case .badUnwindInformation: "the unwind information of this frame cannot be used"
        case .cycle: "the stack leads back to itself: it is damaged"
        case .unsupportedProcessor(let name): "the callers of \(name) programs are not looked for"
        case .limit(let count): "there are more than \(count) frames"
        }
    }
}

extension Backtrace {
    /// Why the frames end before the thread's first function, as a clause; nil for a complete
    /// stack. An address outside of all code is no sign of a damaged stack if the maps do not cover
    /// it and modules may be missing.
    package func whyIncomplete(in snapshot: ProcessSnapshot) -> String? {
        switch end {
        case .reachedEnd: return nil
        case .badReturnAddress(let address):
            let reach = snapshot.mappings.last?.addressRange.upperBound ?? 0
            guard snapshot.isCut, address >= reach else { return end.description }
            return
                "what is at \(address.hex), its return address, is not in the dump, which ends early"
        default: return end.description
        }
    }

    /// Why some functions that await the running one are missing, as a clause; nil if all are there
    /// or none awaits it.
    package var whyAsyncCallersIncomplete: String? {
        guard let asyncEnd, asyncEnd != .startOfTask else { return nil }
        return asyncEnd.description
    }
}
