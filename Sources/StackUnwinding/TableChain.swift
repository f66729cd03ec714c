// SPDX-License-Identifier: Apache-2.0

/// Follows unwind tables from what may be a frame, to find out whether it is one: a stack is a
/// chain of words that agree with each other, and a word left over from a call that returned long
/// ago leads into what was written there since. Where a module has no tables, frame pointers have
/// to do.
final class TableChain {
    /// One frame of a chain.
    struct Link {
        let state: FrameState
        let place: CodePlace
        let foundBy: StackFrame.FoundBy
        /// False where the call behind its return address names another function than the one that
        /// the next inner frame is in.
        var isCallOfInnerFrame = true
    }

    enum Verdict {
        /// The tables lead to the outermost frame: all of them, innermost first.
        case reachesEnd([Link])
        /// A caller cannot be one.
        case contradicted
        /// The tables or the memory do not reach far enough to decide it.
        case undecided
    }

    /// All that a snapshot's chains may take together: one made up to be slow has an end.
    private var stepsLeft = 400_000

    /// Where a chain was that led nowhere: the next words on a stack lead into the same one.
    private var deadEnds: Set<Position> = []
    private struct Position: Hashable {
        let instructionPointer: UInt64
        let stackPointer: UInt64
        let framePointer: UInt64?
    }

    private let modules: LoadedModules
    private let calls: CallInstruction
    private let places: CodePlaces
    private let step: CallFrameStep
    private let fallback: FallbackSteps

    init(
        modules: LoadedModules, calls: CallInstruction, places: CodePlaces, step: CallFrameStep,
        fallback: FallbackSteps
    ) {
        self.modules = modules
        self.calls = calls
        self.places = places
        self.step = step
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

    private func position(_ link: Link) -> Position {
        Position(
            instructionPointer: link.state.instructionPointer,
            stackPointer: link.state.stackPointer, framePointer: link.state.framePointer)
    }

    private func follow(_ links: inout [Link]) -> Verdict {
        while let last = links.last {
            stepsLeft -= 1
            guard stepsLeft > 0, !last.place.isSignalReturn, !deadEnds.contains(position(last))
            else { return .undecided }
            guard let rules = last.place.rules else {
                guard let caller = fallback.framePointerStep(last.state) else { return .undecided }
                links.append(link(caller, from: last, .framePointer))
                continue
            }
            switch step.caller(of: last.state, rules) {
            // A return address of 0 would do for a walk; here it may be any word that is 0.
            case .end: return .reachesEnd(links)
            case .noMemory, .noRegister, .unusable: return .undecided
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
            isCallOfInnerFrame: isCall(
                returningTo: caller.instructionPointer, ofFunctionAt: inner.place))
    }

    /// True as well where the call does not say what it calls, or calls a stub that jumps on.
    private func isCall(returningTo address: UInt64, ofFunctionAt place: CodePlace) -> Bool {
        guard let target = calls.directTarget(returningTo: address), let function = place.rules,
            let module = modules.module(at: place.lookupAddress)
        else { return true }
        return function.addressRange.lowerBound &+ module.loadBias == target
            || LinkageStub(memory: calls.memory).pushedWords(at: target) != nil
    }
}
