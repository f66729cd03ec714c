// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Facts shared by all frames at one code address, computed once.
final class CodePlace {
    /// An address inside the instruction that is being executed.
    let lookupAddress: UInt64
    let moduleIndex: Int?
    let isExecutable: Bool
    let isSignalReturn: Bool
    /// False if the code before this address is certainly no call.
    let canBeReturnedTo: Bool
    let isStackStart: Bool
    let isCoroutineStart: Bool
    /// What its frame returns to is on another stack, whatever its table says.
    let changesStack: Bool
    let rules: CallFrameRules?

    init(
        lookupAddress: UInt64, moduleIndex: Int?, isExecutable: Bool, isSignalReturn: Bool,
        canBeReturnedTo: Bool, isStackStart: Bool, isCoroutineStart: Bool = false,
        changesStack: Bool = false, rules: CallFrameRules?
    ) {
        self.lookupAddress = lookupAddress
        self.moduleIndex = moduleIndex
        self.isExecutable = isExecutable
        self.isSignalReturn = isSignalReturn
        self.canBeReturnedTo = canBeReturnedTo
        self.isStackStart = isStackStart
        self.isCoroutineStart = isCoroutineStart
        self.changesStack = changesStack
        self.rules = rules
    }
}

/// The places of frames. Threads wait in the same few, so this makes unwinding quick.
final class CodePlaces {
    private let modules: LoadedModules
    private let calls: CallInstruction
    private let signals: SignalContext
    private let starts: StackStart
    private let go: GoRuntime
    private var returned: [UInt64: CodePlace] = [:]
    private var interrupted: [UInt64: CodePlace] = [:]

    init(
        modules: LoadedModules, calls: CallInstruction, signals: SignalContext, starts: StackStart,
        go: GoRuntime
    ) {
        self.modules = modules
        self.calls = calls
        self.signals = signals
        self.starts = starts
        self.go = go
    }

    func place(of state: FrameState) -> CodePlace {
        if state.isBehindInstruction {
            return find(
                state.instructionPointer - 1, isSignalReturn: false, canBeReturnedTo: true)
        }
        return state.isInterrupted
            ? interruption(at: state.instructionPointer)
            : returnAddress(state.instructionPointer)
    }

    private func interruption(at address: UInt64) -> CodePlace {
        if let known = interrupted[address] { return known }
        let place = find(
            address, isSignalReturn: signals.isReturnPath(address), canBeReturnedTo: true)
        interrupted[address] = place
        return place
    }

    /// The place of a frame that continues at `address` when its callee returns.
    func returnAddress(_ address: UInt64) -> CodePlace {
        if let known = returned[address] { return known }
        let place = findReturnAddress(address)
        returned[address] = place
        return place
    }

    private func findReturnAddress(_ address: UInt64) -> CodePlace {
        // The return path is not called: its address is its first instruction.
        if signals.isReturnPath(address) {
            return find(address, isSignalReturn: true, canBeReturnedTo: true)
        }
        guard address > 0 else {
            return find(address, isSignalReturn: false, canBeReturnedTo: false)
        }
        if calls.precedes(address) == .no {
            if go.isEndOfGoroutine(address) {
                return find(
                    address - 1, isSignalReturn: false, canBeReturnedTo: true, isStackStart: true)
            }
            // makecontext(3) makes a function return to the start of another. Neither was called.
            if modules.isFunctionStart(address) {
                let place = find(address, isSignalReturn: false, canBeReturnedTo: false)
                guard starts.isEndOfCoroutine(at: address, place.rules) else { return place }
                return find(
                    address, isSignalReturn: false, canBeReturnedTo: true,
                    isCoroutineStart: true)
            }
            return find(address - 1, isSignalReturn: false, canBeReturnedTo: false)
        }
        return find(
            address - 1, isSignalReturn: false, canBeReturnedTo: true,
            isStackStart: starts.endsThread(at: address))
    }

    private func find(
        _ address: UInt64, isSignalReturn: Bool, canBeReturnedTo: Bool,
        isStackStart: Bool = false, isCoroutineStart: Bool = false
    ) -> CodePlace {
        let module = modules.module(at: address)
        let rules = module.flatMap { $0.rules(at: $0.fileAddress(address)) }
        return CodePlace(
            lookupAddress: address, moduleIndex: module?.index,
            isExecutable: modules.isExecutable(address),
            isSignalReturn: isSignalReturn || rules?.isSignalFrame == true,
            canBeReturnedTo: canBeReturnedTo,
            isStackStart: isStackStart || isCoroutineStart
                || starts.isEntryPoint(address, rules),
            isCoroutineStart: isCoroutineStart, changesStack: go.changesStack(address),
            rules: rules)
    }
}
