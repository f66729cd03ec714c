// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

struct KeptEvidence {
    private let kept: KeptStacks
    private let surroundings: KeptSurroundings
    private let places: [UInt64: KeptStacks.Place]
    private let snapshot: ProcessSnapshot
    private let stacks: [UInt64: KeptStacks.Stack]
    private let moments: [HeapMoment.Place: KeptStacks.Stack]
    private let crashStack: KeptStacks.Stack?
    private let shortNames = ShortFunctionNames()

    init?(_ snapshot: ProcessSnapshot) {
        guard let kept = snapshot.keptStacks else { return nil }
        self.kept = kept
        self.snapshot = snapshot
        surroundings = KeptSurroundings(snapshot)
        places = Dictionary(kept.places.map { ($0.lookupAddress, $0) }) { first, _ in first }
        stacks = Dictionary(
            kept.stacks.filter { !$0.isOfCrash && $0.moment == nil }.map { ($0.threadID, $0) }
        ) { first, _ in first }
        moments = Dictionary(
            kept.stacks.compactMap { stack in stack.moment.map { ($0, stack) } }
        ) { first, _ in first }
        crashStack = kept.stacks.first(where: \.isOfCrash)
    }

    var problems: [String] { kept.problems }

    func calls(of frame: StackFrame, beside fresh: [SourceFrame]) -> [SourceFrame]? {
        // Mostly the files here tell as much.
        guard let freshOuter = fresh.last, freshOuter.file == nil,
            let place = places[frame.lookupAddress], let outer = kept.calls(of: place).last
        else { return nil }
        if let name = freshOuter.rawName ?? freshOuter.function {
            // Both agree on the function, and more was known at filing time.
            let isSameFunction =
                outer.linkageName ?? outer.function == name
                || outer.function == freshOuter.function
            guard isSameFunction, outer.file != nil else { return nil }
        }
        return kept.calls(of: place).map {
            named(SourceFrame($0, distance: frame.instructionPointer &- frame.lookupAddress))
        }
    }

    /// Short names are made from kept names as from those in a file.
    private func named(_ call: SourceFrame) -> SourceFrame {
        var call = call
        call.shortFunction = shortNames.name(for: call)
        return call
    }

    func backtrace(ofThread id: UInt64, from registers: RegisterSnapshot?) -> KeptBacktrace? {
        stacks[id].flatMap { KeptBacktrace($0, of: kept, from: registers, in: surroundings) }
    }

    func backtrace(at place: HeapMoment.Place, _ moment: HeapMoment) -> KeptBacktrace? {
        moments[place].flatMap {
            KeptBacktrace(
                $0, of: kept, from: moment.registers, in: KeptSurroundings(snapshot.at(moment)))
        }
    }

    func crashBacktrace(from registers: RegisterSnapshot?) -> KeptBacktrace? {
        crashStack.flatMap { KeptBacktrace($0, of: kept, from: registers, in: surroundings) }
    }
}

extension KeptBacktrace {
    /// True if the kept stack is more complete than the fresh one and a file is missing.
    func hasMore(than fresh: Backtrace, isMissing: (Int) -> Bool) -> Bool {
        let used = Set(frames.compactMap(\.moduleIndex))
        guard used.contains(where: isMissing) else { return false }
        let freshCount = fresh.frames.certainCount
        guard certainCount == freshCount else { return certainCount > freshCount }
        let isWhole = whyIncomplete == nil && certainCount == frames.count
        let isFreshWhole = [.reachedEnd, .startOfCoroutine].contains(fresh.end)
        return isWhole && (!isFreshWhole || freshCount < fresh.frames.count)
    }
}

extension SourceFrame {
    /// - Parameter distance: from the call to where its frame continues.
    fileprivate init(_ call: KeptStacks.Call, distance: UInt64) {
        self.init(
            function: call.function, rawName: call.linkageName ?? call.function,
            isInlined: call.isInlined)
        functionOffset = call.functionOffset.map { $0 &+ distance }
        file = call.file
        line = call.line
        column = call.column
        functionLine = call.functionLine
        runtimeFailure = call.runtimeFailure
    }
}
