// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot
import StackUnwinding
import Symbolication

/// What a report says was found out when it was filed, beside what can be found out now.
///
/// Where the right file is at hand, what it says counts: it is of this machine, and the other came
/// with the report. docs/decisions/kept-stacks.md
struct KeptEvidence {
    private let kept: KeptStacks
    private let surroundings: KeptSurroundings
    private let places: [UInt64: KeptStacks.Place]
    private let stacks: [UInt64: KeptStacks.Stack]
    private let crashStack: KeptStacks.Stack?
    private let shortNames = ShortFunctionNames()

    /// Nil for a report that has none.
    init?(_ snapshot: ProcessSnapshot) {
        guard let kept = snapshot.keptStacks else { return nil }
        self.kept = kept
        surroundings = KeptSurroundings(snapshot)
        places = Dictionary(kept.places.map { ($0.lookupAddress, $0) }) { first, _ in first }
        stacks = Dictionary(
            kept.stacks.filter { !$0.isOfCrash }.map { ($0.threadID, $0) }
        ) { first, _ in first }
        crashStack = kept.stacks.first(where: \.isOfCrash)
    }

    /// What could not be found out then.
    var problems: [String] { kept.problems }

    /// The calls of a frame as they were named then, where that is more than `fresh`, and nothing
    /// in `fresh` speaks against it; nil otherwise.
    func calls(of frame: StackFrame, beside fresh: [SourceFrame]) -> [SourceFrame]? {
        guard let place = places[frame.lookupAddress] else { return nil }
        let calls = kept.calls(of: place).map {
            named(SourceFrame($0, distance: frame.instructionPointer &- frame.lookupAddress))
        }
        guard let outer = calls.last, let freshOuter = fresh.last else { return nil }
        guard let name = freshOuter.rawName ?? freshOuter.function else {
            return freshOuter.file == nil ? calls : nil
        }
        // The file that was loaded names the function, and had more to say then.
        let isSameFunction = outer.rawName == name || outer.function == freshOuter.function
        let hasMore = freshOuter.file == nil && outer.file != nil
        return isSameFunction && hasMore ? calls : nil
    }

    /// With the name for people, which is made of the kept ones as it is made of a file's.
    private func named(_ call: SourceFrame) -> SourceFrame {
        var call = call
        call.shortFunction = shortNames.name(for: call)
        return call
    }

    func backtrace(ofThread id: UInt64, from registers: RegisterSnapshot?) -> KeptBacktrace? {
        stacks[id].flatMap { KeptBacktrace($0, of: kept, from: registers, in: surroundings) }
    }

    func crashBacktrace(from registers: RegisterSnapshot?) -> KeptBacktrace? {
        crashStack.flatMap { KeptBacktrace($0, of: kept, from: registers, in: surroundings) }
    }
}

extension KeptBacktrace {
    /// Whether the stack as it was found then tells more than what is found now.
    ///
    /// - Parameter isMissing: whether a module's file is not at hand. Where all are, what is found
    ///   now counts, whatever the report says.
    func tellsMore(than fresh: Backtrace, isMissing: (Int) -> Bool) -> Bool {
        let used = Set(frames.compactMap(\.moduleIndex))
        guard used.contains(where: isMissing) else { return false }
        let freshCount = fresh.frames.certainCount
        guard certainCount == freshCount else { return certainCount > freshCount }
        let isWhole = whyIncomplete == nil && certainCount == frames.count
        return isWhole && (fresh.end != .reachedEnd || freshCount < fresh.frames.count)
    }
}

extension SourceFrame {
    /// - Parameter distance: from the place the call was named at to where its frame goes on.
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
