// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Searches the stack for a caller when everything else failed. Most stack words behind a call are
/// left over from calls that returned long ago, and lead into live frames just like the true one.
struct StackScan {
    /// Words examined: further up are calls that returned long ago.
    private static let wordLimit = 512
    /// The longest way from a function's start to its running code, if only the call tells it.
    private static let functionBytes: UInt64 = 1 << 16

    let fallback: FallbackSteps
    let modules: LoadedModules
    let chain: TableChain
    let step: CallFrameStep

    /// The nearest word behind a call that leads to the running function and that the frames above
    /// do not contradict, or that may return into a module without a file.
    func step(
        from state: FrameState, at place: CodePlace
    ) -> (caller: FrameState, foundBy: StackFrame.FoundBy)? {
        var (address, overflow) = state.stackPointer.addingReportingOverflow(7)
        guard !overflow else { return nil }
        address -= address % 8
        for _ in 0..<Self.wordLimit {
            guard let word = fallback.memory.stackWord(at: address) else { return nil }
            let candidate = word & fallback.addressMask
            if modules.isExecutable(candidate) {
                let caller = self.caller(candidate, at: address, from: state, place)
                switch fallback.canReturn(to: candidate) {
                case .yes where isCall(candidate, of: place) && !isContradicted(caller):
                    return (caller, .stackScan)
                case .unknown where mayBeReturnAddress(candidate): return (caller, .stackGuess)
                default: break
                }
            }
            (address, overflow) = address.addingReportingOverflow(8)
            guard !overflow else { return nil }
        }
        return nil
    }

    /// On x86_64 the frame address is right above the return address, and tables that could not be
    /// followed for lack of a register give the caller's registers.
    private func caller(
        _ address: UInt64, at slot: UInt64, from state: FrameState, _ place: CodePlace
    ) -> FrameState {
        let above = slot &+ 8
        if fallback.calls.architecture == .x86_64, let rules = place.rules,
            case .frame(let caller) = step.caller(of: state, rules, frameAddress: above),
            caller.instructionPointer == address
        {
            return caller
        }
        return fallback.aboveSavedLink(
            FrameState(
                instructionPointer: address, stackPointer: above,
                framePointer: state.framePointer.flatMap { $0 >= above ? $0 : nil }))
    }

    /// True if the call before `address` leads to the function at `place`, or to shortly before the
    /// place if its start is not known.
    private func isCall(_ address: UInt64, of place: CodePlace) -> Bool {
        if let isCall = chain.isCall(returningTo: address, ofFunctionAt: place) { return isCall }
        // The kernel calls a signal handler.
        if fallback.signals.isReturnPath(address) { return true }
        guard let target = fallback.calls.directTarget(returningTo: address),
            target <= place.lookupAddress,
            place.lookupAddress - target < Self.functionBytes
        else { return false }
        return LinkageStub(memory: fallback.memory).pushedWords(at: target) == nil
    }

    /// True if it is behind a function's start in a module without code; without tables, anywhere.
    private func mayBeReturnAddress(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address), module.isWithoutFile,
            !module.isPreloadLibrary
        else { return false }
        guard let tables = module.callFrames else { return true }
        let fileAddress = module.fileAddress(address)
        guard let function = tables.rules(at: fileAddress &- 1)?.addressRange else { return false }
        return fileAddress > function.lowerBound
    }

    /// The frames above do not fit. The candidate's frame pointer is a guess and no evidence
    /// against it.
    private func isContradicted(_ caller: FrameState) -> Bool {
        var state = caller
        state.framePointer = nil
        guard case .contradicted = chain.verdict(on: state) else { return false }
        return true
    }
}
