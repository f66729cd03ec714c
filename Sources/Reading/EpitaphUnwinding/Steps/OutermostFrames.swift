// SPDX-License-Identifier: Apache-2.0

/// The outermost frames of a stack whose middle is not in the dump: the handler also saves the part
/// where the thread began. docs/decisions/unwinding.md
struct OutermostFrames {
    /// Shorter pieces were captured because a register or a stack word points to them.
    private static let leastPartBytes: UInt64 = 512
    private static let wordLimit = 1 << 14

    let modules: LoadedModules
    let memory: CapturedMemory
    let fallback: FallbackSteps
    let chain: TableChain

    struct Found {
        let links: [TableChain.Link]
        let missingBytes: UInt64
    }

    /// - Parameter state: the last frame; its caller's memory is missing.
    func find(beyond state: FrameState) -> Found? {
        guard let mapping = modules.mapping(at: state.stackPointer) else { return nil }
        let innerEnd = memory.end(ofRegionAt: state.stackPointer) ?? state.stackPointer
        guard innerEnd < mapping.upperBound else { return nil }
        let parts = memory.regions(in: innerEnd..<mapping.upperBound).filter {
            $0.upperBound - $0.lowerBound >= Self.leastPartBytes
        }
        var second: Found?
        var wordsLeft = Self.wordLimit
        for part in parts {
            for slot in stride(from: (part.lowerBound + 7) / 8 * 8, to: part.upperBound, by: 8) {
                wordsLeft -= 1
                guard wordsLeft > 0 else { return second }
                guard let links = frames(from: slot, in: part, beyond: state) else { continue }
                let found = Found(links: links, missingBytes: part.lowerBound - innerEnd)
                if links.allSatisfy(\.isCallOfInnerFrame) { return found }
                // After a tail call, no call names the running function.
                second = second ?? found
            }
        }
        return second
    }

    /// From the return address at `slot`, at least two; nil if the tables do not lead there.
    private func frames(
        from slot: UInt64, in part: Range<UInt64>, beyond state: FrameState
    ) -> [TableChain.Link]? {
        guard let word = memory.stackWord(at: slot) else { return nil }
        let address = word & fallback.addressMask
        guard modules.isExecutable(address), fallback.canReturn(to: address) == .yes else {
            return nil
        }
        // Pushed by the callee below the return address, or unchanged further in; both psABIs.
        let saved = slot > part.lowerBound ? memory.stackWord(at: slot - 8) : nil
        let framePointers = [saved, state.framePointer].filter {
            $0.map { $0 > slot && part.contains($0) } ?? false
        }
        let stackPointer = stackPointer(ofFrameReturnedTo: address, by: slot)
        for framePointer in framePointers + [nil] {
            var state = FrameState(
                instructionPointer: address, stackPointer: stackPointer ?? slot + 8,
                framePointer: framePointer)
            if stackPointer == nil { state = fallback.aboveSavedLink(state) }
            if case .reachesEnd(let links) = chain.verdict(on: state), links.count > 1 {
                return links
            }
        }
        return nil
    }

    /// On aarch64 the return address is inside the callee's frame, where the callee's table has it;
    /// nil if the call does not name the callee.
    private func stackPointer(ofFrameReturnedTo address: UInt64, by slot: UInt64) -> UInt64? {
        let calls = chain.called.calls
        guard calls.architecture == .aarch64,
            let callee = calls.directTarget(returningTo: address),
            let module = modules.module(at: callee),
            let function = module.rules(at: module.fileAddress(callee))?.addressRange
        else { return nil }
        // From the prologue on it is at one distance from the frame's upper end.
        for place in stride(from: function.lowerBound, to: function.upperBound, by: 4) {
            guard let rules = module.rules(at: place) else { return nil }
            if case .offset(let offset)? = rules.rule(for: rules.returnRegister) {
                return slot &- UInt64(bitPattern: Int64(offset))
            }
        }
        return nil
    }
}
