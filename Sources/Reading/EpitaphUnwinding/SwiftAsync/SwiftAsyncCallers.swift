// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Inserts awaiting callers of async functions, each chain behind its frame: on a stack they are
/// always called by the runtime's executor. docs/decisions/unwinding.md says what is proof.
struct SwiftAsyncCallers {
    let functions: SwiftAsyncFunctions
    let memory: CapturedMemory
    let modules: LoadedModules
    let addressMask: UInt64
    let signals: SignalContext
    let places: CodePlaces
    let tables: TableStep

    func added(to backtrace: Backtrace, from registers: RegisterSnapshot) -> Backtrace {
        let chain = SwiftAsyncChain(
            functions: functions, memory: memory, modules: modules, addressMask: addressMask)
        var result = backtrace
        for index in backtrace.frames.indices.dropLast().reversed() {
            guard let function = runningFunction(at: index, of: backtrace) else {
                let isLeft =
                    functions.mayRunJobs(backtrace.frames[index + 1].lookupAddress)
                    && functions.isCalledByTasks(backtrace.frames[index].lookupAddress)
                if isLeft { result.asyncEnd = .noContext }
                continue
            }
            let context = SwiftAsyncOwnContext(
                frames: backtrace.frames, index: index, function: function, chain: chain)
            let callers = context.find { saved(atFrame: index, of: backtrace, from: registers) }
                .map { chain.callers(from: $0) }
            result.frames.insert(contentsOf: callers?.frames ?? [], at: index + 1)
            result.asyncEnd = callers?.end ?? .noContext
        }
        return result
    }

    private func runningFunction(
        at index: Int, of backtrace: Backtrace
    ) -> SwiftAsyncFunctions.Function? {
        let frame = backtrace.frames[index]
        let caller = backtrace.frames[index + 1]
        guard !frame.isSignalFrame, !caller.isSignalFrame, caller.foundBy != .stackScan,
            caller.foundBy != .stackGuess,
            functions.mayRunJobs(caller.lookupAddress),
            let function = functions.function(at: frame.lookupAddress)
        else { return nil }
        switch function.name?.part {
        case .awaitResume, .suspendResume, .entry: return function
        case .synchronous: return nil
        case nil:
            let isCertain = function.prologue != nil || functions.runsJobsOnly(caller.lookupAddress)
            return isCertain ? function : nil
        }
    }

    private func saved(
        atFrame index: Int, of backtrace: Backtrace, from registers: RegisterSnapshot
    ) -> SwiftAsyncRegisters? {
        var state = FrameState(registers)
        for frame in backtrace.frames[1..<max(index + 1, 1)] {
            guard let caller = caller(of: state, at: frame),
                caller.instructionPointer == frame.instructionPointer,
                caller.stackPointer == frame.stackPointer
            else { return nil }
            state = caller
        }
        return SwiftAsyncRegisters(state, registers)
    }

    private func caller(of state: FrameState, at frame: StackFrame) -> FrameState? {
        switch frame.foundBy {
        case .returnAddress:
            // The failed call pushed its return address and changed nothing else.
            var caller = state
            caller.instructionPointer = frame.instructionPointer
            caller.stackPointer = frame.stackPointer
            caller.isInterrupted = false
            return caller
        case .signalContext: return signals.interrupted(by: state)
        case .unwindTable:
            guard case .frame(let caller) = tables.caller(of: state, at: places.place(of: state))
            else { return nil }
            return caller
        default: return nil
        }
    }
}
