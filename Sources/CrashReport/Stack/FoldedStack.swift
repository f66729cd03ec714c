// SPDX-License-Identifier: Apache-2.0

/// A stack for reading: calls that repeat, as in a recursion that never ended, are there once.
public struct FoldedStack: Sendable, Equatable {
    public var parts: [Part]

    public enum Part: Sendable, Equatable {
        case frames(ArraySlice<ReportFrame>)
        /// The frames just before, innermost first, come `count` more times; `frameCount` physical
        /// frames are left out. `functions` names one round of them.
        case repeated(count: Int, frameCount: Int, functions: [String])
    }

    /// Mutual recursion through more functions than this is shown in full.
    static let longestRound = 8
    /// Fewer repetitions are quicker read than explained.
    static let fewestRepetitions = 4

    public init(_ stack: ReportStack) {
        let calls = Self.physicalFrames(stack.frames)
        let keys = Self.keys(stack.frames, calls)
        parts = []
        var shownFrom = 0
        var next = 0
        while next < calls.count {
            guard let round = Self.round(at: next, of: keys) else {
                next += 1
                continue
            }
            let first = calls[next..<next + round.length]
            let end = calls[next + round.length - 1].upperBound
            parts.append(.frames(stack.frames[calls[shownFrom].lowerBound..<end]))
            parts.append(
                .repeated(
                    count: round.repetitions, frameCount: round.repetitions * round.length,
                    functions: first.map { Self.name(stack.frames[$0.upperBound - 1]) }))
            next += round.length * (round.repetitions + 1)
            shownFrom = next
        }
        if shownFrom < calls.count {
            parts.append(.frames(stack.frames[calls[shownFrom].lowerBound...]))
        }
    }
}

extension FoldedStack {
    /// The lines of each physical frame: inlined calls belong to the frame that holds them.
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

    private struct Round {
        var length: Int
        /// Besides the first one.
        var repetitions: Int
    }

    /// The shortest round that begins here and repeats often enough.
    private static func round(at start: Int, of keys: [Int]) -> Round? {
        for length in 1...longestRound {
            var end = start + length
            while end < keys.count, keys[end] == keys[end - length] { end += 1 }
            let repetitions = (end - start) / length - 1
            if repetitions >= fewestRepetitions {
                return Round(length: length, repetitions: repetitions)
            }
        }
        return nil
    }

    /// Equal numbers for frames of one function; by address where it has no name.
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

    private static func name(_ frame: ReportFrame) -> String {
        frame.function ?? frame.place.map { "\($0.moduleName)+\($0.offset.hex)" }
            ?? frame.address.hex
    }
}
