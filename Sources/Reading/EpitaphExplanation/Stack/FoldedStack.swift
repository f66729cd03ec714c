// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A stack for reading: repeated calls, as in an endless recursion, are listed once.
///
/// Repetition is recognised by functions, so that a recursion from several lines is one; for each
/// return address one frame is kept, so that all calling lines are shown.
package struct FoldedStack: Sendable, Equatable {
    /// In the order of the stack.
    package var parts: [Part]
    /// What was folded, in the order of the stack.
    package var recursions: [Recursion] = []

    /// Frames that are shown, or rounds of them that are not.
    package enum Part: Sendable, Equatable {
        /// Frames that are shown, in the order of the stack.
        case frames(ArraySlice<ReportFrame>)
        /// More rounds of the frames just before, innermost first: `count` of them, which are
        /// `frameCount` physical frames. They return to addresses that are shown before.
        /// `functions` names one round, as its authors wrote the names.
        case repeated(count: Int, frameCount: Int, functions: [String])
    }

    /// Functions that call each other over and over.
    package struct Recursion: Sendable, Equatable {
        /// One round of them, innermost first, as their authors wrote the names.
        package var functions: [String]
        /// How often each of them is among the frames.
        package var count: Int
        /// Physical frames of all rounds.
        package var frameCount: Int { count * functions.count }
    }

    /// Mutual recursion through more functions than this is shown in full.
    static let longestRound = 8
    /// Fewer repetitions are read faster than an explanation.
    static let fewestRepetitions = 4
    /// The most rounds of one recursion that are shown because each has a return address of its
    /// own. A program has fewer; a forged dump may not.
    static let mostRounds = 64

    /// Folds the calls of `stack` that repeat.
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

/// Assembles a folded stack.
private struct Folding {
    let frames: [ReportFrame]
    /// The lines of each physical frame.
    let calls: [Range<Int>]
    private var parts: [FoldedStack.Part] = []
    private var recursions: [FoldedStack.Recursion] = []
    /// The first physical frame that is in no part yet.
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
        // Where the rounds begin that only repeat what is already shown.
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

    /// - Parameters:
    ///   - first: of the physical frames that are left out; nil for none.
    ///   - end: the one behind the last of them.
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
    /// The lines of each physical frame: inlined calls belong to the frame that contains them.
    private static func physicalFrames(_ frames: [ReportFrame]) -> [Range<Int>] {
        var calls: [Range<Int>] = []
        var start = 0
        for (position, frame) in frames.enumerated() where !frame.isInlined {
            calls.append(start..<position + 1)
            start = position + 1
        }
        if start < frames.count { calls.append(start..<frames.count) }
        return calls
    }

    fileprivate struct Round {
        var length: Int
        /// How many there are.
        var count: Int
    }

    /// The shortest round that begins here and repeats often enough. Frames on both sides of a gap
    /// are not neighbours.
    private static func round(at start: Int, of keys: [Int], _ folding: Folding) -> Round? {
        for length in 1...longestRound {
            var end = start + length
            while end < keys.count, keys[end] == keys[end - length] { end += 1 }
            guard (end - start) / length > fewestRepetitions else { continue }
            // Checked only if there is a round, because hardly any stack has a gap.
            let gap = (start + 1..<end).first { folding.isBehindGap($0) }
            let count = ((gap ?? end) - start) / length
            if count > fewestRepetitions { return Round(length: length, count: count) }
        }
        return nil
    }

    /// Equal numbers for frames of one function, or with equal addresses if it has no name.
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
    /// What a short line calls the frame.
    package var nameOrPlace: String {
        shortFunction ?? place.map { "\($0.moduleName)+\($0.offset.hex)" } ?? address.hex
    }
}
