// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Steps to the caller by the function's code, where tables are missing or need a register that is
/// unknown, as the frame pointer is of a thread that waits in a system call.
final class CodeStep {
    /// Longer functions are not followed.
    private static let longestFunction: UInt64 = 1 << 16
    private static let longestInstruction: UInt64 = 15
    /// Of functions whose beginning only a call tells. Against crafted input, so is the limit for all.
    private static let longestUnknownFunction: UInt64 = 1 << 12
    private var unknownBytesLeft: UInt64 = 1 << 20
    private let fallback: FallbackSteps
    private let called: CalledFunctions
    private let step: CallFrameStep
    private let places: CodePlaces
    private var modules: LoadedModules { fallback.modules }
    private var functions: [Range<UInt64>: FunctionCode?] = [:]

    init(
        fallback: FallbackSteps, called: CalledFunctions, step: CallFrameStep, places: CodePlaces
    ) {
        self.fallback = fallback
        self.called = called
        self.step = step
        self.places = places
    }

    struct Found {
        let caller: FrameState
        /// The call before the return address names the function, or is that of code that nothing
        /// calls: no other frame has its address. Otherwise it leads through a pointer.
        let isNamed: Bool
        let hasTable: Bool

        /// Two of three must speak for it: the code, the table, the call.
        var foundBy: StackFrame.FoundBy { isNamed || hasTable ? .calledFrame : .stackScan }
    }

    /// The caller whose return address is where the code puts it, behind a call that may lead here.
    func caller(of state: FrameState, at place: CodePlace) -> Found? {
        let found = callers(of: state, at: place).compactMap { caller -> Found? in
            guard modules.isExecutable(caller.instructionPointer),
                fallback.canReturn(to: caller.instructionPointer) == .yes
            else { return nil }
            // musl's `_start` calls what jumps on, and its `__clone` calls through a pointer.
            let isStart = places.place(of: caller).isStackStart
            switch called.evidence(of: caller, for: place) {
            case _ where isStart, .names:
                return Found(
                    caller: caller, isNamed: true, hasTable: place.rules != nil)
            case .open, .passesOn:
                return Found(
                    caller: caller, isNamed: false, hasTable: place.rules != nil)
            default: return nil
            }
        }
        return found.count == 1 ? found.first : nil
    }

    /// The caller where the table leads to no return address, because hand-written assembly moves
    /// the stack pointer and does not say so. Code and call speak against the table.
    func callerDespiteTable(of state: FrameState, at place: CodePlace) -> FrameState? {
        guard let (frame, range) = frame(of: state, at: place), !agrees(frame, place.rules) else {
            return nil
        }
        let found = callers(of: state, frame, range, nil).filter { caller in
            modules.isExecutable(caller.instructionPointer)
                && fallback.canReturn(to: caller.instructionPointer) == .yes
                && called.evidence(of: caller, for: place) == .names
        }
        return found.count == 1 ? found.first : nil
    }

    private func callers(of state: FrameState, at place: CodePlace) -> [FrameState] {
        guard let (frame, range) = frame(of: state, at: place), agrees(frame, place.rules) else {
            return []
        }
        return callers(of: state, frame, range, place.rules)
    }

    /// Of an aligned stack pointer, for each distance that is possible; otherwise one at most. The
    /// words that they are read from may be anything.
    private func callers(
        of state: FrameState, _ frame: FunctionCode.Frame, _ range: Range<UInt64>,
        _ table: CallFrameRules?
    ) -> [FrameState] {
        guard let rules = table ?? rules(frame, range) else { return [] }
        return frameAddresses(of: state, frame).compactMap { address in
            var state = state
            // Read through the frame pointer, which is the better evidence if both are known.
            if let distance = frame.framePointer {
                state.framePointer = address &- UInt64(bitPattern: distance)
            }
            guard case .frame(let caller) = step.caller(of: state, rules, frameAddress: address)
            else { return nil }
            return caller
        }
    }

    /// How far rbp is below the frame address, in a frame of variable size whose rbp is unknown.
    func distanceOfFramePointer(_ state: FrameState, at place: CodePlace) -> UInt64? {
        // Where the return address is the frame's last word.
        guard modules.architecture == .x86_64, state.framePointer == nil,
            let (frame, _) = frame(of: state, at: place), frame.stackPointer == nil,
            agrees(frame, place.rules)
        else { return nil }
        return frame.framePointer.map(UInt64.init(bitPattern:))
    }

    /// Whether calls that the function made before have left their return addresses where they must
    /// be, seen from this frame address; nil if it need not have made any.
    func hasMarks(at place: CodePlace, frameAddress: UInt64) -> Bool? {
        guard let range = modules.functionRange(of: place.lookupAddress),
            let function = function(range), case let marks = function.marks, !marks.isEmpty
        else { return nil }
        return marks.allSatisfy { distance in
            let word = fallback.memory.stackWord(at: frameAddress &- UInt64(bitPattern: distance))
            return word.map {
                range.contains($0)
                    && function.leavesMark(distance, at: Int($0 - range.lowerBound))
            } ?? false
        }
    }

    /// Whether both frames are of the same function, at places where rsp is at the same distance from
    /// the frame address whatever happened in between: then they are of two activations of it.
    func areTwoActivations(_ one: TableChain.Link, _ state: FrameState, at place: CodePlace) -> Bool
    {
        guard let (frame, range) = frame(of: state, at: place), let stack = frame.stack,
            let (other, otherRange) = self.frame(of: one.state, at: one.place),
            range == otherRange, other.stack == stack, frame.alignment == 0, other.alignment == 0,
            let function = function(range), function.isFixed(stack)
        else { return false }
        return one.state.stackPointer != state.stackPointer
    }

    /// Whether the function has made a frame at `place`; nil if its code does not tell.
    func keepsFramePointer(_ state: FrameState, at place: CodePlace) -> Bool? {
        frame(of: state, at: place).map { $0.frame.framePointer != nil }
    }

    enum Fit {
        case caller(FrameState)
        case misfit
        /// The code from there does not lead here, or does not tell.
        case unknown
    }

    /// Whether the return address at `slot` is where a function that begins at `start` has it: for
    /// functions that neither tables nor symbols delimit.
    func fit(of slot: UInt64, _ state: FrameState, from start: UInt64) -> Fit {
        let reach = state.instructionPointer &- start
        guard modules.architecture == .x86_64, state.isStackPointerExact,
            reach <= Self.longestUnknownFunction, reach <= unknownBytesLeft
        else { return .unknown }
        unknownBytesLeft -= reach
        let range = start..<state.instructionPointer &+ Self.longestInstruction
        guard let function = function(range), let frame = frame(of: state, function, range),
            let distance = frame.stackPointer, frame.alignment == 0
        else { return .unknown }
        let frameAddress = state.stackPointer &+ UInt64(bitPattern: distance)
        guard slot &+ 8 == frameAddress, let rules = rules(frame, range),
            case .frame(let caller) = step.caller(of: state, rules, frameAddress: frameAddress)
        else { return .misfit }
        return .caller(caller)
    }

    private func frame(
        of state: FrameState, at place: CodePlace
    ) -> (frame: FunctionCode.Frame, range: Range<UInt64>)? {
        guard let range = modules.functionRange(of: place.lookupAddress),
            let function = function(range)
        else { return nil }
        return frame(of: state, function, range).map { ($0, range) }
    }

    private func frame(
        of state: FrameState, _ function: FunctionCode, _ range: Range<UInt64>
    ) -> FunctionCode.Frame? {
        let offset = Int(clamping: state.instructionPointer &- range.lowerBound)
        return state.isInterrupted
            ? function.frame(at: offset) : function.frame(beforeInstructionThatEndsAt: offset)
    }

    private func function(_ range: Range<UInt64>) -> FunctionCode? {
        if let known = functions[range] { return known }
        let length = range.upperBound - range.lowerBound
        var function: FunctionCode?
        if length <= Self.longestFunction + Self.longestInstruction,
            !isMovedPart(range.lowerBound)
        {
            let code = fallback.memory.bytes(at: range.lowerBound, count: Int(length)).array
            function = code.count == Int(length) ? FunctionCode(code, modules.architecture) : nil
        }
        functions[range] = .some(function)
        return function
    }

    /// Compilers move code that is rarely run out of its function; that part begins in the frame.
    private func isMovedPart(_ start: UInt64) -> Bool {
        guard let module = modules.module(at: start),
            let symbol = module.completeSymbols?.symbol(containing: module.fileAddress(start))
        else { return false }
        return symbol.name.hasSuffix(".cold") || symbol.name.has(".cold.")
    }

    /// Code and table must say the same: a part without a name begins in its function's frame.
    private func agrees(_ frame: FunctionCode.Frame, _ rules: CallFrameRules?) -> Bool {
        guard let rules else { return true }
        switch rules.frameAddress {
        case .register(step.roles.framePointer, let offset): return frame.framePointer == offset
        case .register(step.roles.stackPointer, let offset): return frame.stackPointer == offset
        case .register: return false
        case .expression: return frame.framePointer != nil
        }
    }

    private func frameAddresses(of state: FrameState, _ frame: FunctionCode.Frame) -> [UInt64] {
        if let distance = frame.stackPointer, state.isStackPointerExact {
            let first = state.stackPointer &+ UInt64(bitPattern: distance)
            let aligned = UInt64(clamping: max(frame.alignment, 1))
            // The frame address is a multiple of 16: psABI, 3.2.2.
            return stride(from: 0, to: min(aligned, 256), by: 8).map { first &+ $0 }
                .filter { aligned == 1 || $0 % 16 == 0 }
        }
        guard let distance = frame.framePointer, let framePointer = state.framePointer else {
            return []
        }
        return [framePointer &+ UInt64(bitPattern: distance)]
    }

    /// Nil if the code does not tell where the return address is.
    private func rules(_ frame: FunctionCode.Frame, _ range: Range<UInt64>) -> CallFrameRules? {
        let (roles, own) = (step.roles, FunctionCode.Registers.of(modules.architecture))
        let returnRegister = roles.linkRegister ?? roles.instructionPointer
        var registers: [(number: Int, rule: CallFrameRules.RegisterRule)] =
            roles.linkRegister == nil ? [(returnRegister, .offset(-8))] : []
        for (register, number) in own.numbers {
            switch frame.saved[register] {
            // It may have been saved by a move. A function that does not change the frame pointer
            // keeps it, and x30 is right where it was not saved.
            case 0 where register == own.framePointer || number == returnRegister: break
            case -1 where number == returnRegister: return nil
            case 0, -1: registers.append((number, .undefined))
            case let distance: registers.append((number, .offset(-Int64(distance))))
            }
        }
        return CallFrameRules(
            frameAddress: .register(roles.stackPointer, offset: 0), registers: registers,
            returnRegister: returnRegister, addressRange: range)
    }
}
