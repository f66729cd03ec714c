// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Searches the stack for a caller when everything else failed. Most words behind a call are left
/// over from calls that returned long ago, and lead into live frames just like the true one.
struct StackScan {
    /// Words examined: further up are calls that returned long ago.
    static let wordLimit = 512
    /// The functions in question are small.
    private static let fittingWordLimit = 64

    let fallback: FallbackSteps
    let modules: LoadedModules
    let chain: TableChain
    let step: CallFrameStep

    typealias Found = (caller: FrameState, foundBy: StackFrame.FoundBy)

    struct Findings {
        var likely: Found?
        /// Behind a call that may have led anywhere.
        var possible: Found?
    }

    /// The nearest word behind a call that names the function, or whose call leads closest. The
    /// frames above do not contradict it.
    func step(from state: FrameState, at place: CodePlace) -> Findings {
        if let found = stepOverVariableFrame(from: state, at: place) { return found }
        var findings = Findings()
        var closest: UInt64 = 0
        let isStart = fallback.isLibraryStart(state)
        for address in slots(above: state.stackPointer) {
            guard let word = fallback.memory.stackWord(at: address) else { break }
            let candidate = word & fallback.addressMask
            guard modules.isExecutable(candidate), !isEpitaph(candidate) else { continue }
            let caller = caller(candidate, at: address, from: state, place)
            switch fallback.canReturn(to: candidate) {
            case .no: continue
            case .unknown:
                guard findings.possible == nil, mayBeReturnAddress(candidate) else { continue }
                findings.possible = (caller, .stackGuess)
            case .yes where isStart && chain.isStackStart(candidate):
                return Findings(likely: (caller, .stackScan))
            case .yes:
                switch chain.called.evidence(of: caller, for: place) {
                case .names where !isContradicted(caller):
                    // The kernel calls handlers, of which nothing tells: any other call is better.
                    let isHandler = fallback.signals.isReturnPath(candidate)
                    if !isHandler || findings.likely == nil {
                        findings.likely = (caller, .stackScan)
                    }
                    return findings
                case .leadsTo(let start) where start > closest && !isContradicted(caller):
                    if case .misfit = chain.code.fit(of: address, state, from: start) { continue }
                    closest = start
                    findings.likely = (caller, .stackScan)
                case .enters where findings.possible == nil && !isContradicted(caller):
                    findings.possible = (caller, .stackGuess)
                case .open where findings.possible == nil && isPossible(caller, place):
                    findings.possible = (caller, .stackGuess)
                default: continue
                }
            }
        }
        return findings
    }

    /// The nearest word behind a call whose target's code leads to `place`, with its return address
    /// where that word is; only if neither tables nor symbols delimit the function.
    func fittingCaller(of state: FrameState, at place: CodePlace) -> FrameState? {
        guard modules.functionRange(of: place.lookupAddress) == nil else { return nil }
        for address in slots(above: state.stackPointer, Self.fittingWordLimit) {
            guard let word = fallback.memory.stackWord(at: address) else { break }
            guard modules.isExecutable(word), fallback.canReturn(to: word) == .yes,
                case .leadsTo(let start) = chain.called.evidence(of: word, for: place),
                case .caller(let caller) = chain.code.fit(of: address, state, from: start)
            else { continue }
            return caller
        }
        return nil
    }

    /// Code that no file has, made by a compiler at run time, may have left rbp to a function that
    /// called it. The call before the return address there names that function; the one word that
    /// leads into it from below is its own frame. Otherwise the frame pointer skips it.
    func ownerOfFrame(
        below caller: FrameState, _ state: FrameState, at place: CodePlace
    ) -> FrameState? {
        guard place.rules == nil, modules.functionRange(of: place.lookupAddress) == nil,
            let start = fallback.calls.directTarget(returningTo: caller.instructionPointer),
            let function = modules.functionRange(of: start), function.lowerBound == start,
            let record = state.framePointer
        else { return nil }
        let callers = slots(above: state.stackPointer).prefix { $0 < record }.filter { slot in
            guard let word = fallback.memory.stackWord(at: slot), function.contains(word),
                fallback.canReturn(to: word) == .yes
            else { return false }
            return chain.called.evidence(of: word, for: place) == .open
        }
        guard callers.count == 1, let slot = callers.first,
            let word = fallback.memory.stackWord(at: slot)
        else { return nil }
        return FrameState(
            instructionPointer: word, stackPointer: slot + 8, framePointer: record)
    }

    func slots(
        above stackPointer: UInt64, _ limit: Int = wordLimit
    ) -> StrideTo<UInt64> {
        let (start, overflow) = stackPointer.addingReportingOverflow(7)
        let first = overflow ? 0 : start / 8 * 8
        let (end, isPastEnd) = first.addingReportingOverflow(UInt64(limit) * 8)
        return stride(from: first, to: overflow || isPastEnd ? first : end, by: 8)
    }

    /// On x86_64 the frame address is above the return address; tables give the registers.
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

    /// Epitaph's calls at startup leave words on every stack; its true frames are found by tables.
    private func isEpitaph(_ address: UInt64) -> Bool {
        modules.module(at: address).map { $0.isEpitaph($0.fileAddress(address) &- 1) } ?? false
    }

    /// True if it is behind a function's start in a module without code; without tables, anywhere.
    private func mayBeReturnAddress(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address), module.isWithoutFile else { return false }
        guard let tables = module.callFrames else { return true }
        let fileAddress = module.fileAddress(address)
        guard let function = tables.rules(at: fileAddress &- 1)?.addressRange else { return false }
        return fileAddress > function.lowerBound
    }

    /// The tables of the inner function would have led to it, and those of the outer ones must: to
    /// the outermost frame, or to code that is not at hand.
    private func isPossible(_ caller: FrameState, _ place: CodePlace) -> Bool {
        guard place.rules == nil else { return false }
        switch verdict(on: caller) {
        case .contradicted: return false
        case .reachesEnd(let links): return links.allSatisfy(\.isCallOfInnerFrame)
        case .undecided:
            return place.moduleIndex.map { modules.isWithoutFile($0) } ?? false
        }
    }

    private func isContradicted(_ caller: FrameState) -> Bool {
        if case .contradicted = verdict(on: caller) { true } else { false }
    }

    /// A caller's frame pointer without tables is a guess, no evidence against it.
    private func verdict(on caller: FrameState) -> TableChain.Verdict {
        var state = caller
        state.framePointer = nil
        return chain.verdict(on: state)
    }
}
