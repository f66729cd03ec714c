// SPDX-License-Identifier: Apache-2.0

/// A stack as lines, repeated calls told once.
enum StackText {
    enum Detail {
        /// Functions and file names alone, a line each.
        case brief
        case full
    }

    static func lines(
        _ stack: ReportStack?, _ detail: Detail = .full, names: ReportFrame.Names = .short
    ) -> [TextLine] {
        guard let stack, !stack.frames.isEmpty else {
            let why = stack?.whyIncomplete ?? "the registers of this thread were not captured"
            return [.prose(lead: [TextSpan("  ")], [TextSpan("no frames: \(why)", .mark)])]
        }
        let width = "#\(stack.frames.last?.index ?? 0)".count
        var lines = FoldedStack(stack).parts.flatMap { part in
            switch part {
            case .frames(let frames):
                frames.flatMap { Self.lines($0, detail, numberWidth: width, names) }
            case .repeated(let count, let frameCount, let functions):
                [repeated(count, frameCount, functions, indent: width + 4)]
            }
        }
        if stack.isKept {
            lines.append(remark("these frames were found when the report was filed"))
        }
        if let why = stack.whyAsyncCallersIncomplete {
            lines.append(remark("not all awaiting functions are known: \(why)"))
        }
        if let why = stack.whyIncomplete { lines.append(remark("the stack ends here: \(why)")) }
        return lines
    }

    /// A frame, with what is left out before it.
    private static func lines(
        _ frame: ReportFrame, _ detail: Detail, numberWidth: Int, _ names: ReportFrame.Names
    ) -> [TextLine] {
        let gap = frame.omission.map { omission in
            TextLine(
                lead: [TextSpan(String(repeating: " ", count: numberWidth + 4))],
                [.init("… \(omission.words)", .mark)], indent: numberWidth + 6)
        }
        guard detail == .full else {
            return [gap, FrameText.brief(frame, numberWidth: numberWidth, names: names)]
                .compactMap(\.self)
        }
        let excerpt = frame.excerpt.map { FrameText.excerpt($0, indent: numberWidth + 4) }
        return [gap, FrameText.line(frame, numberWidth: numberWidth, names: names)]
            .compactMap(\.self) + (excerpt ?? [])
    }

    private static func remark(_ words: String) -> TextLine {
        .prose(lead: [TextSpan("  ")], [TextSpan(words, .mark)], indent: 4)
    }

    /// `… 104,233 frames of recurse(_:) repeated`
    private static func repeated(
        _ count: Int, _ frameCount: Int, _ functions: [String], indent: Int
    ) -> TextLine {
        let lead = [TextSpan(String(repeating: " ", count: indent))]
        let frames = "… \(counted(frameCount, "frame"))"
        guard functions.count == 1 else {
            let words = "repeated: the \(functions.count) above, \(counted(count, "more time"))"
            return TextLine(lead: lead, [.init(frames, .mark), .init(words, .mark)])
        }
        return TextLine(
            lead: lead,
            [
                .init("\(frames) of", .mark),
                .init(functions[0], .function, ifTooLong: .shortenMiddle),
                .init("repeated", .mark),
            ], indent: indent + 2)
    }
}
