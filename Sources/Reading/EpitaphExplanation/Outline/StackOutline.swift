// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ReportStack {
    /// How many frames of runtimes are at both ends.
    var runtimeCounts: (innermost: Int, outermost: Int) {
        (
            NoiseFrames.leadingCount(frames),
            frames.reversed().prefix(while: NoiseFrames.isAlwaysNoise).count
        )
    }

    /// Indices of the frames between those of the runtimes at both ends; nil if there are none.
    package var programIndices: ClosedRange<Int>? {
        let (innermost, outermost) = runtimeCounts
        guard innermost + outermost < frames.count else { return nil }
        return frames[innermost].index...frames[frames.count - 1 - outermost].index
    }
}

/// A stack for people: lines with repeated calls and Epitaph's own folded, and remarks.
package struct StackOutline {
    package indirect enum Line {
        case frame(ReportFrame)
        case folded(Fold)
    }

    /// More rounds of the frames above: `… 104,233 frames of recurse(_:) repeated`. Or Epitaph's
    /// own: `… 5 frames of Epitaph`.
    package struct Fold {
        package var before: String
        /// Nil for mutual recursion; its functions are listed above.
        package var function: String?
        package var after: String?

        package var text: String {
            [before, function, after].compactMap(\.self).joined(separator: " ")
        }
    }

    package let lines: [Line]
    /// Clauses about the stack; if there are no frames, why.
    package let remarks: [String]

    /// - Parameter showsOwn: whether Epitaph's own frames are lines like all others.
    package init(_ stack: ReportStack?, showsOwn: Bool = false) {
        guard let stack, !stack.frames.isEmpty else {
            lines = []
            let why = stack?.whyIncomplete ?? "the registers of this thread were not captured"
            remarks = ["no frames: \(why)"]
            return
        }
        lines = FoldedStack(stack).parts.flatMap { part -> [Line] in
            switch part {
            case .frames(let frames):
                showsOwn
                    ? frames.map { .frame($0) } : Self.lines(frames, isAtFault: stack.isAtFault)
            case .repeated(let count, let frameCount, let functions):
                [.folded(Fold(count, frameCount, functions))]
            }
        }
        let known = [
            stack.isKept ? "these frames were found when the report was filed" : nil,
            stack.whyAsyncCallersIncomplete.map { "not all awaiting functions are known: \($0)" },
            stack.whyIncomplete.map { "the stack ends here: \($0)" },
            stack.isCoroutine ? "a coroutine's stack; the thread's own is not looked for" : nil,
        ]
        remarks = known.compactMap(\.self)
    }

    /// How Epitaph took a stack or began a thread says nothing of the program; where it is to blame
    /// for the death, it is shown.
    private static func lines(_ frames: ArraySlice<ReportFrame>, isAtFault: Bool) -> [Line] {
        var lines: [Line] = []
        var rest = frames
        while let first = rest.first {
            let isInnermost = first.index == 0
            let run = isInnermost ? rest.prefix { NoiseFrames.isAlwaysNoise($0) } : rest
            // The system's functions that it called, and those of the runtimes between.
            let length =
                isInnermost
                ? run.lastIndex(where: \.isOwn).map { $0 + 1 - rest.startIndex } ?? 0
                : run.prefix(while: \.isOwn).count
            if length == 0 || isInnermost && isAtFault {
                lines += rest.prefix(max(length, 1)).map { .frame($0) }
            } else {
                let count = Set(rest.prefix(length).map(\.index)).count
                lines.append(.folded(Fold(before: "… \(counted(count, "frame")) of Epitaph")))
            }
            rest = rest.dropFirst(max(length, 1))
        }
        return lines
    }
}

extension StackOutline.Fold {
    fileprivate init(_ count: Int, _ frameCount: Int, _ functions: [String]) {
        before = "… \(counted(frameCount, "frame"))"
        if functions.count == 1 {
            before += " of"
            function = functions[0]
            after = "repeated"
        } else {
            after = "repeated: the \(functions.count) above, \(counted(count, "more time"))"
        }
    }
}

/// One frame, in the words that all report formats use.
package struct FrameOutline {
    package let frame: ReportFrame
    package let name: String?
    /// `+0x1f` into the function, if there is no line number.
    package let offset: String
    /// `exampled+0x1a2b`; nil outside all modules.
    package let module: String?
    package let remarks: [Remark]

    package enum Remark {
        case inlined
        case awaits
        case signal(String)
        case namedWhenFiled
        case doubt(String)

        package var words: String {
            switch self {
            case .inlined: "inlined"
            case .awaits: "awaits the frame above"
            case .signal(let words): words
            case .namedWhenFiled: "named when filed"
            case .doubt(let way): "found by \(way)"
            }
        }
    }

    package init(_ frame: ReportFrame, _ names: ReportFrame.Names) {
        self.frame = frame
        name = frame.name(names)
        if name != nil, frame.source?.line == nil, let bytes = frame.functionOffset, bytes > 0 {
            offset = "+\(bytes.hex)"
        } else {
            offset = ""
        }
        module = frame.place.map { "\($0.moduleName)+\($0.offset.hex)" }
        let known: [Remark?] = [
            frame.isInlined ? .inlined : nil, frame.isAsyncCaller ? .awaits : nil,
            frame.isSignalFrame ? .signal(frame.signalWords) : nil,
            frame.isNameKept ? .namedWhenFiled : nil, Self.doubt(frame).map { .doubt($0) },
        ]
        remarks = known.compactMap(\.self)
    }

    package var nameOrStandIn: String {
        name ?? (module == nil ? frame.address.paddedHex : "??")
    }

    /// `in exampled+0x1a2b`, or the address if nothing else is known.
    package var placeWords: String {
        if let module { return "in \(module)" }
        if let place = frame.unloadedPlace {
            return "in \(place.libraryName)+\(place.offset.hex), which had been unloaded"
        }
        return frame.function == nil ? "in no module" : "in no module, \(frame.address.paddedHex)"
    }

    package var isDoubtful: Bool { Self.doubt(frame) != nil }

    /// Continues "found by"; nil without doubt.
    private static func doubt(_ frame: ReportFrame) -> String? {
        switch frame.foundBy {
        case .registers, .unwindTable, .asyncContext, .calledFrame: nil
        case .signalContext: "the registers a signal handler saved"
        case .returnAddress: "the return address of a jump"
        case .framePointer: "a frame pointer: likely, not certain"
        case .stackScan: "a stack scan: likely, not certain"
        case .stackGuess: "a stack scan: possible, no more"
        }
    }
}

extension ReportFrame.Source {
    /// `/src/`
    package var directory: String { String(file[..<startOfName]) }
    /// `Server.swift`
    package var fileName: String { String(file[startOfName...]) }
    /// `:42:9`
    package var numbers: String {
        [line, line == nil ? nil : column].compactMap(\.self).map { ":\($0)" }.joined()
    }

    private var startOfName: String.Index {
        file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
    }
}
