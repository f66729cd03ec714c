// SPDX-License-Identifier: Apache-2.0

/// Follows unwind tables from a possible frame to test it: the words of a real stack agree, a word
/// left over from an old call leads into newer data. Without tables, follows frame pointers.
final class TableChain {
    struct Link {
        let state: FrameState
        let place: CodePlace
        let foundBy: StackFrame.FoundBy
        /// False if the call before its return address names another function.
        var isCallOfInnerFrame = true
    }

    enum Verdict {
        /// The tables lead to the outermost frame; has all frames, innermost first.
        case reachesEnd([Link])
        case contradicted
        /// Tables or memory do not reach far enough.
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
            // A stack walk would accept a return address of 0; here it may be any zero word.
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

    /// False if the call before `address` names another function than the one at `place`. True also
    /// if the call does not contain its target, or calls a stub.
    func isCall(returningTo address: UInt64, ofFunctionAt place: CodePlace) -> Bool {
        guard let target = calls.directTarget(returningTo: address),
            let module = modules.module(at: place.lookupAddress),
            LinkageStub(memory: calls.memory).pushedWords(at: target) == nil
        else { return true }
        if let function = place.rules {
            return function.addressRange.lowerBound &+ module.loadBias == target
        }
        return modules.functionStart(of: place.lookupAddress).map { $0 == target }
            ?? module.addressRange.contains(target)
    }
}
