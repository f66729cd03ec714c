// SPDX-License-Identifier: Apache-2.0

struct UnwindingTools {
    let modules: LoadedModules
    let memory: CapturedMemory
    let signals: SignalContext
    let fallback: FallbackSteps
    let places: CodePlaces
    let tables: TableStep
    let code: CodeStep
    let scan: StackScan
    let chain: TableChain
    let outermost: OutermostFrames
    let go: GoRuntime
}

struct StackWalk {
    let frameLimit: Int
    private let tools: UnwindingTools
    private var state: FrameState
    private var place: CodePlace
    private var frames: [StackFrame] = []
    /// Stack pointers reached from signal frames and changed stacks: only those steps may go down.
    private var interruptedStackPointers: Set<UInt64> = []

    init(from state: FrameState, frameLimit: Int, _ tools: UnwindingTools) {
        self.frameLimit = frameLimit
        self.tools = tools
        self.state = state
        place = tools.places.place(of: state)
    }

    private enum Next {
        case frame(FrameState, StackFrame.FoundBy)
        case end(Backtrace.End)
    }

    mutating func run() -> Backtrace {
        add(state, place, foundBy: .registers)
        while true {
            switch nextFrame() {
            case .end(let reason):
                return (reason.mayBeGap ? addOutermostFrames() : nil)
                    ?? Backtrace(frames: frames, end: reason)
            case .frame(let caller, let foundBy):
                let callerPlace = tools.places.place(of: caller)
                if let reason = objection(to: caller, callerPlace, foundBy) {
                    return Backtrace(frames: frames, end: reason)
                }
                guard frames.count < frameLimit else {
                    return Backtrace(frames: frames, end: .limit(frameLimit))
                }
                // It rests on the frames further in: behind a guess it is no more than that.
                let isGuess = frames.last?.foundBy == .stackGuess
                add(caller, callerPlace, foundBy: isGuess ? .stackGuess : foundBy)
            }
        }
    }

    /// Continues with the outermost part of the stack if its frames are certain.
    private mutating func addOutermostFrames() -> Backtrace? {
        guard let found = tools.outermost.find(beyond: state) else { return nil }
        for (position, link) in found.links.enumerated() {
            guard frames.count < frameLimit else {
                return Backtrace(frames: frames, end: .limit(frameLimit))
            }
            add(link.state, link.place, foundBy: link.foundBy)
            if position == 0 {
                frames[frames.count - 1].omission = .stackBytes(found.missingBytes)
            }
        }
        let isCoroutine = place.isCoroutineStart
        return Backtrace(frames: frames, end: isCoroutine ? .startOfCoroutine : .reachedEnd)
    }

    mutating func onlyFrame(end: Backtrace.End) -> Backtrace {
        add(state, place, foundBy: .registers)
        return Backtrace(frames: frames, end: end)
    }

    private mutating func add(
        _ state: FrameState, _ place: CodePlace, foundBy: StackFrame.FoundBy
    ) {
        let isTailCall =
            foundBy == .unwindTable
            && tools.chain.called.jumped(
                to: self.place, afterCallReturningTo: state.instructionPointer)
        self.state = state
        self.place = place
        frames.append(
            StackFrame(
                instructionPointer: state.instructionPointer, stackPointer: state.stackPointer,
                lookupAddress: place.lookupAddress, moduleIndex: place.moduleIndex,
                foundBy: foundBy, isSignalFrame: place.isSignalReturn,
                omission: isTailCall ? .tailCall : nil))
    }

    private mutating func objection(
        to caller: FrameState, _ callerPlace: CodePlace, _ foundBy: StackFrame.FoundBy
    ) -> Backtrace.End? {
        if place.isSignalReturn {
            // Nothing was interrupted before the crash exactly where it crashed.
            if caller.stackPointer == frames[0].stackPointer,
                caller.instructionPointer == frames[0].instructionPointer
            {
                return .overwrittenBySignal
            }
            // The handler may have run on another stack and interrupted any address.
            let isNew = interruptedStackPointers.insert(caller.stackPointer).inserted
            return isNew ? nil : .cycle
        }
        if caller.instructionPointer == 0 { return .unprovedStart(0) }
        guard callerPlace.isExecutable else { return .badReturnAddress(caller.instructionPointer) }
        guard callerPlace.canBeReturnedTo else {
            return tools.modules.isFunctionStart(caller.instructionPointer)
                ? .unprovedStart(caller.instructionPointer)
                : .notACall(caller.instructionPointer)
        }
        if place.changesStack {
            let isNew = interruptedStackPointers.insert(caller.stackPointer).inserted
            return isNew ? nil : .cycle
        }
        // The innermost function's table may find its frame by another register, where the stack
        // pointer itself went astray. One step leads to no circle.
        if frames.count == 1, foundBy == .unwindTable { return nil }
        // An aarch64 function without a frame leaves the stack pointer unchanged.
        let isLeafStep = state.linkRegister != nil && state.isInterrupted
        let hasMoved =
            isLeafStep
            ? caller.stackPointer >= state.stackPointer : caller.stackPointer > state.stackPointer
        return hasMoved ? nil : .cycle
    }

    private func nextFrame() -> Next {
        // Code of a module that the program unmapped or protected has its table still.
        if state.isInterrupted, !place.isExecutable, place.rules == nil {
            if let caller = tools.fallback.callerOfBadJump(state) {
                // Without the code, any address in it would be accepted.
                let isCall = tools.fallback.canReturn(to: caller.instructionPointer) == .yes
                return .frame(caller, isCall ? .returnAddress : .stackGuess)
            }
            return stepWithoutTable(otherwise: .noUnwindInformation)
        }
        if place.isSignalReturn { return interruptedFrame() }
        if place.isCoroutineStart { return .end(.startOfCoroutine) }
        if place.isStackStart { return .end(.reachedEnd) }
        if place.changesStack {
            let caller = tools.go.callerOnLeftStack(
                state, at: place, from: frames[0].stackPointer, tools.memory)
            // Between them is a frame of which no more than the pointer is known.
            return caller.map { .frame($0, .framePointer) } ?? .end(.changedStack)
        }
        switch tools.tables.caller(of: state, at: place) {
        case nil: return stepWithoutTable(otherwise: .noUnwindInformation)
        case .frame(var caller):
            if tools.go.isCalledByFault(place.lookupAddress) {
                caller.isInterrupted = true
                return .frame(caller, .unwindTable)
            }
            guard !isReturnAddress(of: caller),
                let byCode = tools.code.callerDespiteTable(of: state, at: place)
            else { return .frame(caller, .unwindTable) }
            return .frame(byCode, .calledFrame)
        case .end: return .end(.reachedEnd)
        case .noMemory(let address): return .end(.noMemory(address: address))
        case .noRegister: return stepWithoutTable(otherwise: .noUnwindInformation)
        case .unusable: return stepWithoutTable(otherwise: .badUnwindInformation)
        }
    }

    private func isReturnAddress(of caller: FrameState) -> Bool {
        let place = tools.places.place(of: caller)
        return place.isExecutable && place.canBeReturnedTo
    }

    /// The kernel's structure has all registers, the return path's table on aarch64 only two.
    private func interruptedFrame() -> Next {
        if let interrupted = tools.signals.interrupted(by: state) {
            return .frame(interrupted, .signalContext)
        }
        guard let rules = place.rules, rules.isSignalFrame,
            case .frame(let caller) = tools.tables.own.caller(of: state, rules)
        else { return stepWithoutTable(otherwise: .noUnwindInformation) }
        return .frame(caller, .signalContext)
    }

    private func stepWithoutTable(otherwise reason: Backtrace.End) -> Next {
        let byCode = tools.code.caller(of: state, at: place)
        if let byCode, byCode.isNamed { return .frame(byCode.caller, byCode.foundBy) }
        let returned =
            tools.fallback.callerOfStub(state) ?? tools.fallback.callerBeforeFrame(state)
            ?? tools.fallback.callerOfFramelessFunction(state) ?? tools.fallback.callerOfLeaf(state)
        if let returned {
            // The code also knows how large the frame of a function without calls is.
            let isSame = byCode?.caller.instructionPointer == returned.instructionPointer
            return .frame(isSame ? byCode?.caller ?? returned : returned, .returnAddress)
        }
        if let byCode { return .frame(byCode.caller, byCode.foundBy) }
        let caller = tools.fallback.framePointerStep(state)
        let evidence = caller.map {
            tools.chain.called.evidence(of: $0.instructionPointer, for: place)
        }
        // Where nothing delimits the function, a call that its code fits is better evidence.
        if evidence != .names, let caller = tools.scan.fittingCaller(of: state, at: place) {
            return .frame(caller, .calledFrame)
        }
        // Otherwise the frame pointer may be that of a function further out.
        if let caller, let evidence, evidence != .namesAnother,
            evidence == .names || tools.code.keepsFramePointer(state, at: place) != false
        {
            if let owner = tools.scan.ownerOfFrame(below: caller, state, at: place) {
                return .frame(owner, .stackScan)
            }
            return .frame(caller, foundBy(evidence))
        }
        let found = tools.scan.step(from: state, at: place)
        if let (caller, foundBy) = found.likely { return .frame(caller, foundBy) }
        if let caller { return .frame(caller, .framePointer) }
        if let (caller, foundBy) = found.possible { return .frame(caller, foundBy) }
        return .end(reasonToStop(reason))
    }

    /// An interrupted function may have no frame yet: then the frame pointer is its caller's.
    private func foundBy(_ evidence: CallEvidence) -> StackFrame.FoundBy {
        evidence == .names && !state.isInterrupted ? .calledFrame : .framePointer
    }

    private func reasonToStop(_ reason: Backtrace.End) -> Backtrace.End {
        if tools.memory.stackWord(at: state.stackPointer) == nil {
            return .noMemory(address: state.stackPointer)
        }
        return reason
    }
}

extension Backtrace.End {
    /// True if the stack may continue elsewhere. Without a table the needed memory is unknown.
    fileprivate var mayBeGap: Bool {
        switch self {
        case .noMemory, .noUnwindInformation: true
        default: false
        }
    }
}
