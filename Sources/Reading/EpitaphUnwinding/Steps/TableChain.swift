// SPDX-License-Identifier: Apache-2.0

/// Follows unwind tables from a possible frame to test it: the words of a real stack agree, a word
/// left over from an old call leads into newer data. Without tables, follows frame pointers.
final class TableChain {
    struct Link {
        let state: FrameState
        let place: CodePlace
        let foundBy: StackFrame.FoundBy
        var evidence = CallEvidence.names
        var isCallOfInnerFrame: Bool { evidence != .namesAnother }
    }

    enum Verdict {
        /// The tables lead to the outermost frame; has all frames, innermost first.
        case reachesEnd([Link])
        case contradicted
        case undecided
    }

    /// Step limit for all chains of a snapshot together, against crafted input.
    private var stepsLeft = 400_000

    /// Positions in fruitless chains: the next words on a stack lead into the same chain.
    private var deadEnds: Set<Position> = []
    private struct Position: Hashable {
        let instructionPointer: UInt64
        let stackPointer: UInt64
        let framePointer: UInt64?
    }

    let called: CalledFunctions
    private let places: CodePlaces
    private let step: CallFrameStep
    let code: CodeStep
    private let fallback: FallbackSteps

    init(
        called: CalledFunctions, places: CodePlaces, step: CallFrameStep, code: CodeStep,
        fallback: FallbackSteps
    ) {
        self.called = called
        self.places = places
        self.step = step
        self.code = code
        self.fallback = fallback
    }

    func verdict(on start: FrameState) -> Verdict {
        var links = [
            Link(state: start, place: places.place(of: start), foundBy: .unwindTable)
        ]
        let verdict = follow(&links)
        if case .undecided = verdict { deadEnds.formUnion(links.map(position)) }
        return verdict
    }

    /// True if nothing but the start of a stack continues at `returnAddress`.
    func isStackStart(_ returnAddress: UInt64) -> Bool {
        places.returnAddress(returnAddress).isStackStart
    }

    private func position(_ link: Link) -> Position {
        Position(
            instructionPointer: link.state.instructionPointer,
            stackPointer: link.state.stackPointer, framePointer: link.state.framePointer)
    }

    private func follow(_ links: inout [Link]) -> Verdict {
        while let last = links.last {
            stepsLeft -= 1
            guard stepsLeft > 0, !deadEnds.contains(position(last)) else { return .undecided }
            if last.place.isSignalReturn {
                // A handler on a stack of its own leads anywhere.
                guard let caller = fallback.signals.interrupted(by: last.state),
                    caller.stackPointer > last.state.stackPointer
                else { return .undecided }
                links.append(
                    Link(
                        state: caller, place: places.place(of: caller), foundBy: .signalContext,
                        evidence: .names))
                continue
            }
            if last.place.isStackStart { return .reachesEnd(links) }
            if last.place.changesStack { return .undecided }
            guard let rules = last.place.rules else {
                // Musl's has no tables. Only the thread's or program's beginning calls it.
                if fallback.isLibraryStart(last.state) { return .reachesEnd(links) }
                if let found = code.caller(of: last.state, at: last.place) {
                    links.append(link(found.caller, from: last, found.foundBy))
                    continue
                }
                // A function that was interrupted without a frame: rbp is of one further out.
                if let caller = fallback.callerBeforeFrame(last.state)
                    ?? fallback.callerOfFramelessFunction(last.state)
                {
                    links.append(link(caller, from: last, .returnAddress))
                    continue
                }
                guard let caller = fallback.framePointerStep(last.state) else { return .undecided }
                links.append(link(caller, from: last, .framePointer))
                continue
            }
            switch step.caller(of: last.state, rules) {
            case .end: return .reachesEnd(links)
            case .noRegister:
                guard let found = code.caller(of: last.state, at: last.place) else {
                    return .undecided
                }
                links.append(link(found.caller, from: last, found.foundBy))
            case .noMemory, .unusable: return .undecided
            case .frame(let caller):
                let next = link(caller, from: last, .unwindTable)
                guard next.place.isExecutable, next.place.canBeReturnedTo,
                    caller.stackPointer > last.state.stackPointer
                else { return .contradicted }
                links.append(next)
            }
        }
        return .undecided
    }

    private func link(
        _ caller: FrameState, from inner: Link, _ foundBy: StackFrame.FoundBy
    ) -> Link {
        Link(
            state: caller, place: places.place(of: caller), foundBy: foundBy,
            evidence: called.evidence(of: caller, for: inner.place))
    }
}
