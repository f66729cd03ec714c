// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct SwiftAsyncChain {
    static let limit = 4_096

    let functions: SwiftAsyncFunctions
    let memory: CapturedMemory
    let modules: LoadedModules
    /// The bits of a code address that belong to the address.
    let addressMask: UInt64

    /// Nearest first, without compiler-generated ones, up to the first that fails its check.
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
            var parent = head.parent
            switch resumePoint(head) {
            case .taskEnd: parent = 0
            case .unknown:
                return AwaitingCallers(
                    frames: frames, end: .unknownFunction(address: head.resumeAddress))
            case .function(let function):
                if function.name?.isThunk != true { frames.append(frame(head)) }
            }
            if parent == 0 {
                // The code that started the task awaits it only where a waiting task says so.
                guard let other = SwiftAwaitingTask(memory: memory).context(awaiting: next) else {
                    return AwaitingCallers(frames: frames, end: .startOfTask)
                }
                parent = other
            }
            next = parent
        }
    }

    enum ResumePoint {
        case function(SwiftAsyncFunctions.Function)
        /// The runtime finishes the task.
        case taskEnd
        /// Nothing proves that an async function continues there.
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
            // Code that an `await` returns to has this prologue.
            guard function.prologue != nil else { return .unknown }
            return isOutermost && functions.isRuntime(address) ? .taskEnd : .function(function)
        }
    }

    private func frame(_ context: SwiftAsyncContext) -> StackFrame {
        StackFrame(
            instructionPointer: context.resumeAddress, stackPointer: context.address,
            lookupAddress: context.resumeAddress,
            moduleIndex: modules.module(at: context.resumeAddress)?.index,
            foundBy: .asyncContext)
    }
}

struct AwaitingCallers {
    var frames: [StackFrame]
    var end: Backtrace.AsyncEnd
}

extension Backtrace {
    package enum AsyncEnd: Sendable, Equatable {
        case startOfTask
        /// The running function's context was not found or is ambiguous.
        case noContext
        case noMemory(address: UInt64)
        case notAContext(address: UInt64)
        /// Nothing proves an async function at this address, perhaps because its file is missing.
        case unknownFunction(address: UInt64)
        case cycle(context: UInt64)
        case limit(Int)
    }
}

extension Backtrace.AsyncEnd: CustomStringConvertible {
    package var description: String {
        switch self {
        case .startOfTask: "the start of the task was reached"
        case .noContext: "the context of the function that runs was not found"
        case .noMemory(let address): "the memory at \(address.hex) was not captured"
        case .notAContext(let address): "there is no context at \(address.hex)"
        case .unknownFunction(let address): "no async function is known to go on at \(address.hex)"
        case .cycle(let context): "the context at \(context.hex) leads back to itself"
        case .limit(let count): "there are more than \(count)"
        }
    }
}
