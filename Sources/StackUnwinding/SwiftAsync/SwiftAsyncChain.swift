// SPDX-License-Identifier: Apache-2.0

/// Follows who awaits whom, from the context of an async function that runs.
struct SwiftAsyncChain {
    /// More than the handler saves: what ends a chain is what the dump has of it.
    static let limit = 4_096

    let functions: SwiftAsyncFunctions
    let memory: CapturedMemory
    let modules: LoadedModules
    /// Bits of a code address that are an address.
    let addressMask: UInt64

    /// The callers behind `context`, the nearest first, without those the compiler made up. Each is
    /// checked by itself; the first that fails ends the chain.
    func callers(from context: UInt64) -> AwaitingCallers {
        var frames: [StackFrame] = []
        var seen: Set<UInt64> = []
        var next = context
        while true {
            guard seen.insert(next).inserted else {
                return AwaitingCallers(frames: frames, end: .cycle(context: next))
            }
            guard seen.count <= Self.limit else {
                return AwaitingCallers(frames: frames, end: .limit(Self.limit))
            }
            guard let head = SwiftAsyncContext(at: next, in: memory, addressMask: addressMask)
            else {
                let isAligned = next != 0 && next % SwiftAsyncContext.alignment == 0
                let isThere = isAligned && memory.stackWord(at: next &+ 8) != nil
                return AwaitingCallers(
                    frames: frames,
                    end: isThere || !isAligned
                        ? .notAContext(address: next) : .noMemory(address: next))
            }
            switch resumePoint(head) {
            case .taskEnd: return AwaitingCallers(frames: frames, end: .startOfTask)
            case .unknown:
                return AwaitingCallers(
                    frames: frames, end: .unknownFunction(address: head.resumeAddress))
            case .function(let function):
                if function.name?.isThunk != true { frames.append(frame(head)) }
            }
            // Whoever started the task does not wait for it here.
            if head.parent == 0 { return AwaitingCallers(frames: frames, end: .startOfTask) }
            next = head.parent
        }
    }

    enum ResumePoint {
        case function(SwiftAsyncFunctions.Function)
        /// The runtime finishes the task.
        case taskEnd
        /// Nothing proves that an async function goes on there.
        case unknown
    }

    func resumePoint(_ context: SwiftAsyncContext) -> ResumePoint {
        let address = context.resumeAddress
        guard modules.isExecutable(address), let function = functions.function(at: address),
            function.start == address
        else { return .unknown }
        let isOutermost = context.parent == 0
        switch function.name?.part {
        case .awaitResume, .suspendResume: return .function(function)
        case .entry: return .unknown
        case .synchronous: return functions.isRuntime(address) ? .taskEnd : .unknown
        case nil:
            // The code tells: whatever an `await` returns to keeps its context in its frame.
            guard function.prologue != nil else { return .unknown }
            return isOutermost && functions.isRuntime(address) ? .taskEnd : .function(function)
        }
    }

    private func frame(_ context: SwiftAsyncContext) -> StackFrame {
        // Nobody returns to a resume function: it is called at its first instruction, which has the
        // line of the `await`.
        StackFrame(
            instructionPointer: context.resumeAddress, stackPointer: context.address,
            lookupAddress: context.resumeAddress,
            moduleIndex: modules.module(at: context.resumeAddress)?.index,
            foundBy: .asyncContext)
    }
}

/// The async functions that wait for a running one.
struct AwaitingCallers {
    var frames: [StackFrame]
    var end: Backtrace.AsyncEnd
}
