// SPDX-License-Identifier: Apache-2.0

/// Searches the stack for a caller when everything else failed.
struct StackScan {
    /// Words examined: further up are calls that returned long ago.
    private static let wordLimit = 512

    let fallback: FallbackSteps
    let modules: LoadedModules
    let chain: TableChain

    /// The nearest word behind a call that is not contradicted, or that may return into a module
    /// without a file; otherwise the nearest that a call may have left although it names
    /// another function or frames above do not fit.
    func step(
        from state: FrameState, at place: CodePlace
    ) -> (caller: FrameState, foundBy: StackFrame.FoundBy)? {
        var (address, overflow) = state.stackPointer.addingReportingOverflow(7)
        guard !overflow else { return nil }
        address -= address % 8
        var contradicted: FrameState?
        for _ in 0..<Self.wordLimit {
            guard let word = fallback.memory.stackWord(at: address) else { break }
            let candidate = word & fallback.addressMask
            if modules.isExecutable(candidate) {
                let caller = self.caller(candidate, above: address, from: state)
                switch fallback.canReturn(to: candidate) {
                case .no: break
                case .unknown where mayBeReturnAddress(candidate): return (caller, .stackGuess)
                case .unknown: break
                case .yes where isContradicted(caller, place): contradicted = contradicted ?? caller
                case .yes: return (caller, .stackScan)
                }
            }
            (address, overflow) = address.addingReportingOverflow(8)
            guard !overflow else { break }
        }
        return contradicted.map { ($0, .stackGuess) }
    }

    private func caller(
        _ address: UInt64, above slot: UInt64, from state: FrameState
    ) -> FrameState {
        let above = slot &+ 8
        return fallback.aboveSavedLink(
            FrameState(
                instructionPointer: address, stackPointer: above,
                framePointer: state.framePointer.flatMap { $0 >= above ? $0 : nil }))
    }

    /// True if it is behind a function's start in a module without code; without tables, anywhere.
    private func mayBeReturnAddress(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address), module.isWithoutFile else { return false }
        guard let tables = module.callFrames else { return true }
        let fileAddress = module.fileAddress(address)
        guard let function = tables.rules(at: fileAddress &- 1)?.addressRange else { return false }
        return fileAddress > function.lowerBound
    }

    /// The call is one of another function, or the frames above do not fit. The candidate's frame
    /// pointer is a guess and no evidence against it.
    private func isContradicted(_ caller: FrameState, _ callee: CodePlace) -> Bool {
        guard chain.isCall(returningTo: caller.instructionPointer, ofFunctionAt: callee) else {
            return true
        }
        var state = caller
        state.framePointer = nil
        guard case .contradicted = chain.verdict(on: state) else { return false }
        return true
    }
}
