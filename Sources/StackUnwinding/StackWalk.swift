// SPDX-License-Identifier: Apache-2.0

/// One thread's way up its stack.
struct StackWalk {
    var state: FrameState
    let frameLimit: Int
    let modules: LoadedModules
    let memory: CapturedMemory
    let signals: SignalContext
    let fallback: FallbackSteps
    let tables: UnwindTableWalker?

    private var frames: [StackFrame] = []
    /// True while libunwind's cursor stands at `state`.
    private var cursorIsHere = false
    /// Stack pointers that signal frames led to: the only steps that may go down.
    private var interruptedStackPointers: Set<UInt64> = []

    init(
        state: FrameState, frameLimit: Int, modules: LoadedModules, memory: CapturedMemory,
        signals: SignalContext, fallback: FallbackSteps, tables: UnwindTableWalker?
    ) {
        self.state = state
        self.frameLimit = frameLimit
        self.modules = modules
        self.memory = memory
        self.signals = signals
        self.fallback = fallback
        self.tables = tables
    }

    private enum Next {
        case frame(FrameState, StackFrame.FoundBy)
        case end(Backtrace.End)
    }

    mutating func run() -> Backtrace {
        add(state, foundBy: .registers)
        while true {
            switch nextFrame() {
            case .end(let reason):
                return Backtrace(frames: frames, end: reason)
            case .frame(let caller, let foundBy):
                if let reason = objection(to: caller) {
                    return Backtrace(frames: frames, end: reason)
                }
                guard frames.count < frameLimit else {
                    return Backtrace(frames: frames, end: .limit(frameLimit))
                }
                add(caller, foundBy: foundBy)
            }
        }
    }

    /// The innermost frame and no more.
    mutating func onlyFrame(end: Backtrace.End) -> Backtrace {
        add(state, foundBy: .registers)
        return Backtrace(frames: frames, end: end)
    }

    private mutating func add(_ state: FrameState, foundBy: StackFrame.FoundBy) {
        self.state = state
        let isSignalFrame = signals.isReturnPath(state.instructionPointer)
        // Nobody called the return path: its address is its first instruction, not one behind a
        // call.
        let address = isSignalFrame ? state.instructionPointer : state.lookupAddress
        frames.append(
            StackFrame(
                instructionPointer: state.instructionPointer, stackPointer: state.stackPointer,
                lookupAddress: address, moduleIndex: modules.module(at: address)?.index,
                foundBy: foundBy, isSignalFrame: isSignalFrame))
    }

    private var isInSignalFrame: Bool { frames.last?.isSignalFrame ?? false }

    /// Why `caller` cannot be true; nil when it can.
    private mutating func objection(to caller: FrameState) -> Backtrace.End? {
        if isInSignalFrame {
            // The handler may have run on another stack, and any address may have been interrupted.
            let isNew = interruptedStackPointers.insert(caller.stackPointer).inserted
            return isNew ? nil : .cycle
        }
        if caller.instructionPointer == 0 { return .reachedEnd }
        guard modules.isExecutable(caller.instructionPointer) else {
            return .badReturnAddress(caller.instructionPointer)
        }
        // An aarch64 function without a frame leaves the stack pointer where it was; its caller is
        // a frame further.
        let isLeafStep = state.linkRegister != nil && state.isInterrupted
        let hasMoved =
            isLeafStep
            ? caller.stackPointer >= state.stackPointer : caller.stackPointer > state.stackPointer
        return hasMoved ? nil : .cycle
    }

    private mutating func nextFrame() -> Next {
        if state.isInterrupted, !modules.isExecutable(state.instructionPointer) {
            cursorIsHere = false
            if let caller = fallback.callerOfBadJump(state) {
                return .frame(caller, .returnAddress)
            }
            return stepWithoutTable(otherwise: .noUnwindInformation)
        }
        switch stepWithTable() {
        case .frame(var caller):
            guard isInSignalFrame else { return .frame(caller, .unwindTable) }
            caller.isInterrupted = true
            caller.x86 = tables?.registers() ?? []
            return .frame(caller, .signalContext)
        case .end: return .end(.reachedEnd)
        case .noMemory(let address): return .end(.noMemory(address: address))
        case .noTable, .noRegister: return stepWithoutTable(otherwise: .noUnwindInformation)
        case .unusable: return stepWithoutTable(otherwise: .badUnwindInformation)
        }
    }

    private mutating func stepWithTable() -> UnwindTableWalker.Step {
        guard let tables else { return .noTable }
        if !cursorIsHere {
            guard tables.begin(at: state) else { return .noRegister }
        }
        let step = tables.step()
        // What a signal interrupted may lie where no code is, and is then not left by a table.
        if case .frame(let caller) = step, modules.isExecutable(caller.instructionPointer) {
            cursorIsHere = true
        } else {
            cursorIsHere = false
        }
        return step
    }

    private func stepWithoutTable(otherwise reason: Backtrace.End) -> Next {
        if isInSignalFrame, let interrupted = signals.interrupted(by: state) {
            return .frame(interrupted, .signalContext)
        }
        if let caller = fallback.callerOfLeaf(state) { return .frame(caller, .returnAddress) }
        if let caller = fallback.framePointerStep(state) { return .frame(caller, .framePointer) }
        if let caller = fallback.scanStep(state) { return .frame(caller, .stackScan) }
        return .end(reasonToStop(reason))
    }

    private func reasonToStop(_ reason: Backtrace.End) -> Backtrace.End {
        // Both psABIs: the outermost frame's frame pointer is 0.
        if state.framePointer == 0, frames.last?.foundBy == .framePointer { return .reachedEnd }
        if memory.stackWord(at: state.stackPointer) == nil {
            return .noMemory(address: state.stackPointer)
        }
        return reason
    }
}
