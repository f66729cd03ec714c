// SPDX-License-Identifier: Apache-2.0

/// Follows unwind tables from what may be a frame, to find out whether it is one: a stack is a chain
/// of thousands of words that agree with each other, and a word left over from a call that returned
/// long ago leads into what was written there since.
final class TableChain {
    /// One frame of a chain.
    struct Link {
        let state: FrameState
        let place: CodePlace
        /// False where the call behind its return address names another function than the one that
        /// the next inner frame is in.
        var isCallOfInnerFrame = true
    }

    enum Verdict {
        /// The tables lead to the outermost frame: all of them, innermost first.
        case reachesEnd([Link])
        /// A caller cannot be one.
        case contradicted
        /// The tables or the memory do not go far enough to tell.
        case undecided
    }

    /// All that a snapshot's chains may take together: one made up to be slow has an end.
    private var stepsLeft = 400_000

    private let modules: LoadedModules
    private let calls: CallInstruction
    private let places: CodePlaces
    private let step: CallFrameStep

    init(
        modules: LoadedModules, calls: CallInstruction, places: CodePlaces, step: CallFrameStep
    ) {
        self.modules = modules
        self.calls = calls
        self.places = places
        self.step = step
    }

    func verdict(on start: FrameState) -> Verdict {
        var links = [Link(state: start, place: places.place(of: start))]
        while let last = links.last {
            stepsLeft -= 1
            guard stepsLeft > 0, let rules = last.place.rules, !last.place.isSignalReturn else {
                return .undecided
            }
            switch step.caller(of: last.state, rules) {
            case .end: return .reachesEnd(links)
            case .noMemory, .noRegister, .unusable: return .undecided
            case .frame(let caller):
                if caller.instructionPointer == 0 { return .reachesEnd(links) }
                let place = places.place(of: caller)
                guard place.isExecutable, place.canBeReturnedTo,
                    caller.stackPointer > last.state.stackPointer
                else { return .contradicted }
                var link = Link(state: caller, place: place)
                link.isCallOfInnerFrame = isCall(
                    returningTo: caller.instructionPointer, ofFunctionAt: last.place)
                links.append(link)
            }
        }
        return .undecided
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
