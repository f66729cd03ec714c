// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A stack with repeated calls, as in an endless recursion, listed once. Repetition is detected by
/// function; one frame per return address is kept, so all calling lines are shown.
package struct FoldedStack: Sendable, Equatable {
    package var parts: [Part]
    package var recursions: [Recursion] = []

    package enum Part: Sendable, Equatable {
        case frames(ArraySlice<ReportFrame>)
        /// `count` more rounds of the frames before, `frameCount` physical frames at return
        /// addresses already shown. `functions` names one round, innermost first.
        case repeated(count: Int, frameCount: Int, functions: [String])
    }

    package struct Recursion: Sendable, Equatable {
        package var functions: [String]
        package var count: Int
        package var frameCount: Int { count * functions.count }
    }

    /// Longer mutual recursion is shown in full.
    static let longestRound = 8
    /// Fewer repetitions are read faster than an explanation.
    static let fewestRepetitions = 4
    /// Rounds shown for a new return address. Only a forged dump has more.
    static let mostRounds = 64

    package init(_ stack: ReportStack) {
        let calls = Self.physicalFrames(stack.frames)
        let keys = Self.keys(stack.frames, calls)
        var folding = Folding(frames: stack.frames, calls: calls)
        var next = 0
        while next < calls.count {
            guard let round = Self.round(at: next, of: keys, folding) else {
                next += 1
                continue
            }
            folding.fold(round, from: next)
            next += round.length * round.count
        }
        (parts, recursions) = folding.finish()
    }
}

private struct Folding {
    let frames: [ReportFrame]
    let calls: [Range<Int>]
    private var parts: [FoldedStack.Part] = []
    private var recursions: [FoldedStack.Recursion] = []
    private var shownFrom = 0

    init(frames: [ReportFrame], calls: [Range<Int>]) {
        self.frames = frames
        self.calls = calls
    }

    func isBehindGap(_ call: Int) -> Bool {
        guard case .stackBytes = frames[calls[call].lowerBound].omission else { return false }
        return true
    }

    mutating func fold(_ round: FoldedStack.Round, from start: Int) {
        let functions = calls[start..<start + round.length].map {
            frames[$0.upperBound - 1].nameOrPlace
        }
        recursions.append(.init(functions: functions, count: round.count))
        var known: Set<UInt64> = []
        var kept = 0
        // Start of rounds that only repeat what is already shown.
        var folded: Int?
        for index in 0..<round.count {
            let first = start + index * round.length
            let isNew = (first..<first + round.length).reduce(false) {
                known.insert(frames[calls[$1].upperBound - 1].address).inserted || $0
            }
            if isNew, kept < FoldedStack.mostRounds {
                kept += 1
                leaveOut(folded, before: first, round.length, functions)
                folded = nil
            } else {
                folded = folded ?? first
            }
        }
        leaveOut(folded, before: start + round.count * round.length, round.length, functions)
    }

    private mutating func leaveOut(
        _ first: Int?, before end: Int, _ length: Int, _ functions: [String]
    ) {
        guard let first, end - first >= FoldedStack.fewestRepetitions * length else { return }
        show(before: first)
        parts.append(
            .repeated(
                count: (end - first) / length, frameCount: end - first, functions: functions))
        shownFrom = end
    }

    private mutating func show(before end: Int) {
        guard shownFrom < end else { return }
        let lines = calls[shownFrom].lowerBound..<calls[end - 1].upperBound
        parts.append(.frames(frames[lines]))
    }

    consuming func finish() -> ([FoldedStack.Part], [FoldedStack.Recursion]) {
        show(before: calls.count)
        return (parts, recursions)
    }
}

extension FoldedStack {
    private static func physicalFrames(_ frames: [ReportFrame]) -> [Range<Int>] {
        var calls: [Range<Int>] = []
        var start = 0
        for position in frames.indices where !frames[position].isInlined {
            calls.append(start..<position + 1)
            start = position + 1
        }
        if start < frames.count { calls.append(start..<frames.count) }
        return calls
    }

    fileprivate struct Round {
        var length: Int
        var count: Int
    }

    /// The shortest round repeated often enough from here. A gap ends the repetition.
    private static func round(at start: Int, of keys: [Int], _ folding: Folding) -> Round? {
        for length in 1...longestRound {
            var end = start + length
            while end < keys.count, keys[end] == keys[end - length] { end += 1 }
            guard (end - start) / length > fewestRepetitions else { continue }
            // Checked last, because hardly any stack has a gap.
            let gap = (start + 1..<end).first { folding.isBehindGap($0) }
            let count = ((gap ?? end) - start) / length
            if count > fewestRepetitions { return Round(length: length, count: count) }
        }
        return nil
    }

    private static func keys(_ frames: [ReportFrame], _ calls: [Range<Int>]) -> [Int] {
        struct Function: Hashable {
            let name: String
            let module: Int?
        }
        var byAddress: [UInt64: Int] = [:]
        var byFunction: [Function: Int] = [:]
        return calls.map { call in
            let frame = frames[call.upperBound - 1]
            if let known = byAddress[frame.address] { return known }
            var key = byAddress.count
            if let name = frame.function {
                let function = Function(name: name, module: frame.place?.moduleIndex)
                key = byFunction[function] ?? key
                byFunction[function] = key
            }
            byAddress[frame.address] = key
            return key
        }
    }
}

extension ReportFrame {
    package var nameOrPlace: String {
        shortFunction ?? place.map { "\($0.moduleName)+\($0.offset.hex)" } ?? address.hex
    }
}
