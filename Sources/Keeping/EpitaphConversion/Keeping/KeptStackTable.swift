// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// Stores stacks so that equal parts exist only once: most threads wait in the same few places.
struct KeptStackTable {
    /// Too long stacks keep their outermost frames, too: these show what started them.
    private static let outermostCount = 1_024

    private(set) var frameCount = 0
    var kept = KeptStacks()

    private var frames: [KeptStacks.Frame: Int] = [:]
    private var chains: [[KeptStacks.Step]: Int] = [:]
    private var callLists: [[KeptStacks.Call]: Int] = [:]
    private var texts: Set<String> = []
    private var textByteCount = 0

    mutating func add(
        _ backtrace: Backtrace, of snapshot: ProcessSnapshot, threadID: UInt64, isOfCrash: Bool,
        at moment: HeapMoment.Place? = nil
    ) {
        let chosen = Self.chosen(backtrace.frames)
        var pointer = chosen.first?.stackPointer ?? 0
        let chain = chosen.map { frame in
            defer { pointer = frame.stackPointer }
            return KeptStacks.Step(
                frame: index(of: frame),
                distance: Int64(bitPattern: frame.stackPointer &- pointer))
        }
        var stack = KeptStacks.Stack(
            threadID: threadID, isOfCrash: isOfCrash,
            stackPointer: chosen.first?.stackPointer ?? 0, firstStep: firstStep(of: chain),
            stepCount: chain.count)
        stack.moment = moment
        stack.whyIncomplete = backtrace.whyIncomplete(in: snapshot)
        stack.whyAsyncCallersIncomplete = backtrace.whyAsyncCallersIncomplete
        kept.stacks.append(stack)
        frameCount += chain.count
    }

    /// Adds the calls of a place. Returns false if the limit of texts is exceeded.
    mutating func add(_ calls: [SourceFrame], at lookupAddress: UInt64) -> Bool {
        let calls = calls.map(KeptStacks.Call.init)
        // A place without a name needs no record.
        guard calls.contains(where: { $0.function != nil || $0.file != nil }) else { return true }
        for text in calls.flatMap({ [$0.function, $0.linkageName, $0.file, $0.runtimeFailure] }) {
            if let text, texts.insert(text).inserted { textByteCount += text.utf8.count + 8 }
        }
        guard textByteCount <= StackKeeper.textByteLimit else { return false }
        kept.places.append(
            KeptStacks.Place(
                lookupAddress: lookupAddress, firstCall: firstCall(of: calls),
                callCount: calls.count))
        return true
    }

    /// The innermost and the outermost frames of a too long stack.
    private static func chosen(_ frames: [StackFrame]) -> [StackFrame] {
        guard frames.count > KeptStacks.frameLimit else { return frames }
        let inner = frames.prefix(KeptStacks.frameLimit - outermostCount)
        var outer = frames.suffix(outermostCount)
        let first = outer.startIndex
        let distance = outer[first].stackPointer &- (inner.last?.stackPointer ?? 0)
        outer[first].omission = .stackBytes(distance)
        return Array(inner) + Array(outer)
    }

    private mutating func index(of frame: StackFrame) -> Int {
        let frame = KeptStacks.Frame(frame)
        if let known = frames[frame] { return known }
        kept.frames.append(frame)
        frames[frame] = kept.frames.count - 1
        return kept.frames.count - 1
    }

    private mutating func firstStep(of chain: [KeptStacks.Step]) -> Int {
        if let known = chains[chain] { return known }
        let first = kept.steps.count
        kept.steps += chain
        chains[chain] = first
        return first
    }

    private mutating func firstCall(of calls: [KeptStacks.Call]) -> Int {
        if let known = callLists[calls] { return known }
        let first = kept.calls.count
        kept.calls += calls
        callLists[calls] = first
        return first
    }
}

extension KeptStacks.Frame {
    fileprivate init(_ frame: StackFrame) {
        self.init(
            instructionPointer: frame.instructionPointer, lookupAddress: frame.lookupAddress,
            foundBy: frame.foundBy.rawValue, isSignalFrame: frame.isSignalFrame,
            omission: frame.omission)
    }
}

extension KeptStacks.Call {
    fileprivate init(_ call: SourceFrame) {
        self.init()
        function = call.function
        linkageName = call.rawName == call.function ? nil : call.rawName
        functionOffset = call.functionOffset
        file = call.file
        line = call.line
        column = call.column
        functionLine = call.functionLine
        isInlined = call.isInlined
        runtimeFailure = call.runtimeFailure
    }
}
