// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A thread's calls, innermost first, and why no more are known.
package struct Backtrace: Sendable, Equatable {
    package var frames: [StackFrame]
    package var end: End
    /// The end of the awaiting callers; nil if the thread runs no Swift async function.
    package var asyncEnd: AsyncEnd?

    package enum End: Sendable, Equatable {
        /// The outermost frame: its unwind information or its code shows that nothing calls it.
        case reachedEnd
        /// The first function of a coroutine. Its thread's earlier calls are on another stack.
        case startOfCoroutine
        case noRegisters
        /// The sampler kept only these innermost bytes of a moment's stack.
        case endOfKeptStack(byteCount: Int)
        /// The next step needs memory that is not in the snapshot.
        case noMemory(address: UInt64)
        /// No unwind table, frame pointer or verifiable return address leads any further.
        case noUnwindInformation
        /// The caller is not executable: the stack was overwritten, or the table is wrong.
        case badReturnAddress(UInt64)
        /// No call precedes the caller's address: the stack was overwritten.
        case notACall(UInt64)
        /// The return address is 0 or a function's start, which no call leaves. Coroutines may
        /// begin so, and a stack that was overwritten may look so.
        case unprovedStart(UInt64)
        /// Unwind information exists but is unusable.
        case badUnwindInformation
        /// The next step would not move up the stack.
        case cycle
        /// A handler's stack was full, and the kernel wrote the crash's own signal over its outermost
        /// frames: what the handler interrupted is no longer known.
        case overwrittenBySignal
        /// The frame's function left its caller's stack for this one.
        case changedStack
        case unsupportedProcessor(String)
        case limit(Int)
    }

    /// `.reachedEnd` and `.startOfCoroutine` claim that `frames` is complete.
    package init(frames: [StackFrame], end: End) {
        self.frames = frames
        self.end = end
    }
}

extension Backtrace.End: CustomStringConvertible {
    /// A sentence without a full stop.
    package var description: String {
        switch self {
        case .reachedEnd: "the outermost frame was reached"
        case .startOfCoroutine: "a coroutine begins here"
        case .noRegisters: "the registers of this thread were not captured"
        case .endOfKeptStack(let count):
            "the sampler keeps the innermost part of a stack, \(count.grouped) bytes of this one"
        case .noMemory(let address): "the memory at \(address.hex) was not captured"
        case .noUnwindInformation: "nothing tells who called this frame"
        case .badReturnAddress(let address):
            "the return address \(address.hex) is not executable: the stack was overwritten, unless "
                + "the program made it itself"
        case .notACall(let address):
            "no call returns to \(address.hex): the stack was overwritten, unless the program made "
                + "it itself"
        case .unprovedStart(let address):
            "the return address is \(address.hex), which no call leaves: the stack was "
                + "overwritten, unless the program made it itself"
        case .badUnwindInformation: "the unwind information of this frame cannot be used"
        case .cycle: "the caller's frame is not above this one: the stack or a register is wrong"
        case .overwrittenBySignal:
            "the handler's stack was full, and what it had interrupted was overwritten by the "
                + "signal of the crash"
        case .changedStack: "this function was called on another stack, which is not followed"
        case .unsupportedProcessor(let name): "the callers of \(name) programs are not looked for"
        case .limit(let count): "there are more than \(count) frames"
        }
    }
}

extension Backtrace {
    /// The reason for missing outer frames, as a clause. If the dump is cut, an address outside all
    /// code is no sign of a damaged stack: modules may be missing.
    package func whyIncomplete(in snapshot: ProcessSnapshot) -> String? {
        switch end {
        case .reachedEnd, .startOfCoroutine: return nil
        case .badReturnAddress(let address):
            if let library = snapshot.unloadedModule(at: address) {
                let offset = (address - library.addressRange.lowerBound).hex
                return "the return address leads to \(library.name)+\(offset), which had been "
                    + "unloaded"
            }
            let reach = snapshot.mappings.last?.addressRange.upperBound ?? 0
            guard snapshot.isCut, address >= reach else { return end.description }
            return
                "the code at \(address.hex), its return address, is not in the dump, which ends early"
        default: return end.description
        }
    }

    /// The reason for missing functions that await the running one, as a clause; nil if none are.
    package var whyAsyncCallersIncomplete: String? {
        guard let asyncEnd, asyncEnd != .startOfTask else { return nil }
        return asyncEnd.description
    }
}
