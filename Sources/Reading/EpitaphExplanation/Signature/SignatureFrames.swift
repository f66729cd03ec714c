// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct SignatureFrames {
    let names: [String]
    let familyNames: [String]
    let function: String?
    let hasLine: Bool

    /// - Parameter words: the message; source text in it needs no line.
    init(
        _ frames: [ReportFrame], of kind: Diagnosis.Kind? = nil, words: FailureWords? = nil
    ) {
        // A scanned frame, and all behind it, may be left over from an earlier call.
        let frames = Array(Self.withoutInterrupted(frames.prefix { !$0.isScanned }))
        // Endless recursion is noticed at any depth, in any of its functions and of its calls.
        // One in a library alone is told apart by who called it.
        if kind == .stackOverflow, let round = RepeatedCalls(ReportStack(frames: frames)),
            round.isOfProgram || frames.allSatisfy(NoiseFrames.isAlwaysNoise)
        {
            names = round.functions.map(FunctionName.normalized).sorted()
            familyNames = names
            function = names.first
            hasLine = false
            return
        }
        var calls = frames.filter { $0.function != nil || $0.module != nil }
        // The target of a bad jump means nothing.
        let isTarget =
            kind?.isJump == true && calls.first?.index == 0 && calls.first?.function == nil
            && calls.count > 1
        let target = isTarget ? calls.removeFirst() : nil
        let leading = NoiseFrames.leadingCount(calls, of: kind, words)
        var chosen = Self.meaningful(calls.dropFirst(leading))
        let needsLine = kind?.isToldApartByLine == true && words?.isSource != true
        let line = needsLine ? chosen.first?.lineInFunction(of: words?.source) : nil
        if chosen.isEmpty {
            let noise = calls.prefix(Self.mostRead).filter { !$0.isOwn }
            chosen =
                if let target, target.unloadedPlace != nil { [target] } else {
                    NoiseFrames.withoutEnds(noise)
                }
            // Noise is better than nothing.
            if chosen.isEmpty { chosen = noise }
        }
        let hasNames = chosen.contains { $0.function != nil }
        let folded = Self.folded(chosen, hasNames: hasNames)
        function = folded.first
        names = Self.adding(line, to: folded)
        familyNames = hasNames ? names : Self.folded(chosen, hasNames: true)
        hasLine = line != nil
    }

    /// Without what a signal from outside interrupted: it comes at any time. Without SA_SIGINFO,
    /// sigaction(2), only faults can be told from others.
    private static func withoutInterrupted(
        _ frames: ArraySlice<ReportFrame>
    ) -> ArraySlice<ReportFrame> {
        for position in frames.indices {
            guard frames[position].isSignalFrame,
                frames[position].handledSignal?.comesAtAnyTime ?? true,
                !NoiseFrames.raisesSignal(Array(frames[(position + 1)...]))
            else { continue }
            return frames[..<position]
        }
        return frames
    }

    /// Stacks may be very deep.
    private static let mostRead = 64

    private static func meaningful(_ frames: ArraySlice<ReportFrame>) -> [ReportFrame] {
        Array(frames.prefix(mostRead).lazy.filter { !NoiseFrames.isAlwaysNoise($0) })
    }

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

    /// Offsets are valid for one build only: the last resort.
    private static func name(of frame: ReportFrame, hasNames: Bool) -> String {
        if let function = frame.shortFunction { return FunctionName.normalized(function) }
        guard let (name, offset) = frame.module else { return "?" }
        let module = name.withoutDeletedMark
        return hasNames ? module : "\(module)+\(offset.hex)"
    }
}

extension Diagnosis.Kind {
    var isJump: Bool {
        [.nullJump, .wildJump, .executeData, .overwrittenReturnAddress].contains(self)
    }

    /// Deaths that an author wrote into the program; a function may have several.
    fileprivate var isToldApartByLine: Bool {
        switch self {
        case .swiftRuntimeFailure, .wrongExecutor, .uncaughtException, .abort, .trap, .assertion:
            true
        default: false
        }
    }
}

extension ReportFrame {
    /// Also one that had been unloaded.
    fileprivate var module: (name: String, offset: UInt64)? {
        place.map { ($0.moduleName, $0.offset) }
            ?? unloadedPlace.map { ($0.libraryName, $0.offset) }
    }

    /// The running line counted from the function's declaration, 1: stable if the file changes
    /// elsewhere. `told` is the location in the failure itself.
    func lineInFunction(of told: ReportFrame.Source? = nil) -> Int? {
        let isTold = told.map {
            $0.file.lastPathComponent == (source?.file ?? "").lastPathComponent
        }
        guard let line = isTold == true ? told?.line : source?.line, let first = functionLine,
            line >= first
        else { return nil }
        let number = line - first + 1
        // Lines from a macro or an included file are not lines of the function.
        return number <= Self.longestFunction ? number : nil
    }

    private static let longestFunction = 10_000
}
