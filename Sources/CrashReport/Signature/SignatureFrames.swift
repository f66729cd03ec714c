// SPDX-License-Identifier: Apache-2.0

/// The frames of a stack that say what a crash was about.
struct SignatureFrames {
    /// Innermost first, at most `CrashSignature.frameCount`.
    let names: [String]
    /// The same, of nameless frames the module alone.
    let familyNames: [String]

    init(_ frames: [ReportFrame], of kind: Diagnosis.Kind) {
        // A recursion that never ends is noticed at any depth, and in any function it calls.
        if kind == .stackOverflow, let round = RepeatedCalls(ReportStack(frames: frames)) {
            names = Self.beginningWithSmallest(round.functions.map(FunctionName.normalized))
            familyNames = names
            return
        }
        var calls = frames.filter { $0.function != nil || $0.place != nil }
        // Where a bad jump went to means nothing.
        if kind.isJump, calls.first?.index == 0, calls.first?.function == nil, calls.count > 1 {
            calls.removeFirst()
        }
        let leading = calls.prefix { NoiseFrames.isNoise($0, of: kind) }
        var chosen = Self.meaningful(calls.dropFirst(leading.count))
        // Noise is better than nothing.
        if chosen.isEmpty { chosen = Array(calls.prefix(Self.mostRead)) }
        let hasNames = chosen.contains { $0.function != nil }
        names = Self.folded(chosen, hasNames: hasNames)
        familyNames = hasNames ? names : Self.folded(chosen, hasNames: true)
    }

    /// Stacks may be very deep.
    private static let mostRead = 64

    private static func meaningful(_ frames: ArraySlice<ReportFrame>) -> [ReportFrame] {
        Array(frames.prefix(mostRead).lazy.filter { !NoiseFrames.isAlwaysNoise($0) })
    }

    /// Calls that follow each other and are the same are there once.
    private static func folded(_ frames: [ReportFrame], hasNames: Bool) -> [String] {
        var names: [String] = []
        for frame in frames {
            let name = name(of: frame, hasNames: hasNames)
            guard names.last != name else { continue }
            guard names.count < CrashSignature.frameCount else { break }
            names.append(name)
        }
        return names
    }

    /// An offset is only good for one build, so it is a last resort.
    private static func name(of frame: ReportFrame, hasNames: Bool) -> String {
        if let function = frame.function { return FunctionName.normalized(function) }
        guard let place = frame.place else { return "?" }
        return hasNames ? place.moduleName : "\(place.moduleName)+\(place.offset.hex)"
    }

    /// A recursion can be noticed in each of its functions.
    private static func beginningWithSmallest(_ names: [String]) -> [String] {
        guard let smallest = names.min(), let index = names.firstIndex(of: smallest) else {
            return names
        }
        return Array(names[index...] + names[..<index])
    }
}

extension Diagnosis.Kind {
    fileprivate var isJump: Bool { [.nullJump, .wildJump, .executeData].contains(self) }
}
