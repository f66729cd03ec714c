// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The frames of a stack that characterise a crash.
struct SignatureFrames {
    /// Innermost first, at most `CrashSignature.frameCount`.
    let names: [String]
    /// The same, with only the module for unnamed frames.
    let familyNames: [String]
    /// The first of `names`, without a line.
    let function: String?
    /// Whether the first name has the line of the function that failed.
    let hasLine: Bool

    /// - Parameters:
    ///   - kind: of the death; nil where there was none.
    ///   - words: what was said; a piece of the source needs no line.
    init(
        _ frames: [ReportFrame], of kind: Diagnosis.Kind? = nil, words: FailureWords? = nil
    ) {
        // An endless recursion is detected at any depth, and in any function it calls.
        if kind == .stackOverflow, let round = RepeatedCalls(ReportStack(frames: frames)) {
            names = Self.beginningWithSmallest(round.functions.map(FunctionName.normalized))
            familyNames = names
            function = names.first
            hasLine = false
            return
        }
        var calls = frames.filter { $0.function != nil || $0.place != nil }
        // The target of a bad jump means nothing.
        if kind?.isJump == true, calls.first?.index == 0, calls.first?.function == nil,
            calls.count > 1
        {
            calls.removeFirst()
        }
        let leading = NoiseFrames.leadingCount(calls)
        var chosen = Self.meaningful(calls.dropFirst(leading))
        let needsLine = kind?.isToldApartByLine == true && words?.isSource != true
        let line = needsLine ? chosen.first?.lineInFunction(of: words?.source) : nil
        // Noise is better than nothing.
        if chosen.isEmpty { chosen = Array(calls.prefix(Self.mostRead)) }
        let hasNames = chosen.contains { $0.function != nil }
        let folded = Self.folded(chosen, hasNames: hasNames)
        function = folded.first
        names = Self.adding(line, to: folded)
        familyNames = hasNames ? names : Self.folded(chosen, hasNames: true)
        hasLine = line != nil
    }

    /// Stacks may be very deep.
    private static let mostRead = 64

    private static func meaningful(_ frames: ArraySlice<ReportFrame>) -> [ReportFrame] {
        Array(frames.prefix(mostRead).lazy.filter { !NoiseFrames.isAlwaysNoise($0) })
    }

    /// Equal calls that follow each other are listed once.
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

    private static func adding(_ line: Int?, to names: [String]) -> [String] {
        guard let line, let first = names.first else { return names }
        return ["\(first) line \(line)"] + names.dropFirst()
    }

    /// An offset is valid for one build only, so it is the last resort.
    private static func name(of frame: ReportFrame, hasNames: Bool) -> String {
        if let function = frame.shortFunction { return FunctionName.normalized(function) }
        guard let place = frame.place else { return "?" }
        let module = place.moduleName.withoutDeletedMark
        return hasNames ? module : "\(module)+\(place.offset.hex)"
    }

    /// A recursion can be detected in each of its functions.
    private static func beginningWithSmallest(_ names: [String]) -> [String] {
        guard let smallest = names.min(), let index = names.firstIndex(of: smallest) else {
            return names
        }
        return Array(names[index...] + names[..<index])
    }
}

extension Diagnosis.Kind {
    fileprivate var isJump: Bool {
        [.nullJump, .wildJump, .executeData, .overwrittenReturnAddress].contains(self)
    }

    /// Deaths that an author wrote into the program; one function may have several.
    fileprivate var isToldApartByLine: Bool {
        switch self {
        case .swiftRuntimeFailure, .wrongExecutor, .uncaughtException, .abort, .trap, .assertion:
            true
        default: false
        }
    }
}

extension ReportFrame {
    /// The line that was running, counted from the one that declares the function, which is 1:
    /// changes elsewhere in the file do not affect it.
    ///
    /// - Parameter told: the place according to the failure itself; `Module/File.swift`.
    func lineInFunction(of told: ReportFrame.Source? = nil) -> Int? {
        let isTold = told.map { Self.fileName($0.file) == Self.fileName(source?.file ?? "") }
        guard let line = isTold == true ? told?.line : source?.line, let first = functionLine,
            line >= first
        else { return nil }
        let number = line - first + 1
        // Lines that come from a macro or an included file are not lines of the function.
        return number <= Self.longestFunction ? number : nil
    }

    private static let longestFunction = 10_000

    private static func fileName(_ path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }
}
