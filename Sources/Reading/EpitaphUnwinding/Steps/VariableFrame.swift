// SPDX-License-Identifier: Apache-2.0

/// The caller of a function whose frame has a variable size, by alloca(3) or an array, where rbp is
/// unknown: many words may be its return address.
extension StackScan {
    /// Words examined if marks tell which one is right.
    private static let markedWordLimit = 1 << 13

    private struct Candidate {
        let found: CodeStep.Found
        /// The function's own earlier calls left their return addresses at the right distance.
        let isMarked: Bool
    }

    /// Nil if the frame at `place` is none of these.
    func stepOverVariableFrame(from state: FrameState, at place: CodePlace) -> Findings? {
        guard let distance = chain.code.distanceOfFramePointer(state, at: place) else { return nil }
        let candidates = candidates(state, place, distance)
        if let caller = markedCaller(candidates.filter(\.isMarked), state, place) {
            return Findings(likely: (caller, .stackScan))
        }
        for candidate in candidates {
            let found = candidate.found
            switch chain.verdict(on: found.caller) {
            case .contradicted: continue
            case _ where found.isNamed: return Findings(likely: (found.caller, .stackScan))
            // One further out is no better.
            case .undecided: return Findings()
            case .reachesEnd(let links):
                guard links.allSatisfy(\.isCallOfInnerFrame) else { continue }
                // Further out may be another word of this kind, or an older call by name.
                return isOnlyWay(links)
                    ? Findings(likely: (found.caller, .stackScan))
                    : Findings(possible: (found.caller, .stackGuess))
            }
        }
        return Findings()
    }

    /// The function has left its marks where its frame is. Others are left over from when it ran
    /// before, unless they belong to frames further out that are not the one that runs now.
    private func markedCaller(
        _ marked: [Candidate], _ state: FrameState, _ place: CodePlace
    ) -> FrameState? {
        guard let caller = marked.first?.found.caller,
            case .reachesEnd(let links) = chain.verdict(on: caller),
            links.allSatisfy(\.isCallOfInnerFrame)
        else { return nil }
        let areOthers = marked.dropFirst().allSatisfy { candidate in
            let frameAddress = candidate.found.caller.stackPointer
            return zip(links, links.dropFirst()).contains { link, caller in
                caller.state.stackPointer == frameAddress
                    && chain.code.areTwoActivations(link, state, at: place)
            }
        }
        return areOthers ? caller : nil
    }

    private func candidates(
        _ state: FrameState, _ place: CodePlace, _ distance: UInt64
    ) -> [Candidate] {
        var candidates: [Candidate] = []
        let limit =
            chain.code.hasMarks(at: place, frameAddress: state.stackPointer) == nil
            ? Self.wordLimit : Self.markedWordLimit
        // The frame address is a multiple of 16: psABI, 3.2.2.
        for slot in slots(above: state.stackPointer, limit) where slot % 16 == 8 {
            guard let word = fallback.memory.stackWord(at: slot) else { break }
            guard modules.isExecutable(word) else { continue }
            let frameAddress = slot &+ 8
            var state = state
            state.framePointer = frameAddress &- distance
            guard frameAddress &- state.stackPointer >= distance,
                let found = chain.code.caller(of: state, at: place)
            else { continue }
            let isMarked = chain.code.hasMarks(at: place, frameAddress: frameAddress) == true
            candidates.append(Candidate(found: found, isMarked: isMarked))
        }
        return candidates
    }

    /// Whether each frame is called by name from the next one. Otherwise it may be left over from an
    /// earlier call through that pointer, and the next one's call have led to the inner function.
    /// The outermost function calls but once, and the C library a thread's or a program's first one.
    private func isOnlyWay(_ links: [TableChain.Link]) -> Bool {
        let library = links.last?.place.moduleIndex
        let isLibrary = links.first?.place.moduleIndex != library
        let rest = links.dropLast().reversed().drop {
            isLibrary && $0.place.moduleIndex == library
        }
        return rest.allSatisfy { $0.evidence == .names }
    }
}
