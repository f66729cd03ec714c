// SPDX-License-Identifier: Apache-2.0

/// Searches the stack itself for the caller of a frame when every other way has failed.
struct StackScan {
    /// How many words above the stack pointer are examined: further up there are calls that
    /// returned long ago.
    private static let wordLimit = 512

    let fallback: FallbackSteps
    let modules: LoadedModules
    let chain: TableChain

    /// The nearest word that is behind a call instruction and is not contradicted, or that may be a
    /// return address into a module without a file. If there is none, the nearest word that a call
    /// may have left, although the frames above it do not fit.
    func step(from state: FrameState) -> (caller: FrameState, foundBy: StackFrame.FoundBy)? {
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
                case .yes where isContradicted(caller): contradicted = contradicted ?? caller
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

    /// Whether a word points behind the start of a function of a module whose code is not
    /// available; without tables that list its functions, anywhere in the module.
    private func mayBeReturnAddress(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address), module.isWithoutFile else { return false }
        guard let tables = module.callFrames else { return true }
        let fileAddress = module.fileAddress(address)
        guard let function = tables.rules(at: fileAddress &- 1)?.addressRange else { return false }
        return fileAddress > function.lowerBound
    }

    /// The frame pointer of that frame is a guess, and so no evidence against it.
    private func isContradicted(_ caller: FrameState) -> Bool {
        var state = caller
        state.framePointer = nil
        guard case .contradicted = chain.verdict(on: state) else { return false }
        return true
    }
}
