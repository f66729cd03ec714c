// SPDX-License-Identifier: Apache-2.0

/// A stack as lines, repeated calls told once.
enum StackText {
    enum Detail {
        /// Functions and file names alone, a line each.
        case brief
        case full
    }

    static func lines(_ stack: ReportStack?, _ detail: Detail = .full) -> [TextLine] {
        guard let stack, !stack.frames.isEmpty else {
            let why = stack?.whyIncomplete ?? "the registers of this thread were not captured"
            return [.prose(lead: [TextSpan("  ")], [TextSpan("no frames: \(why)", .mark)])]
        }
        let width = "#\(stack.frames.last?.index ?? 0)".count
        var lines = FoldedStack(stack).parts.flatMap { part in
            switch part {
            case .frames(let frames):
                frames.map {
                    detail == .brief
                        ? FrameText.brief($0, numberWidth: width)
                        : FrameText.line($0, numberWidth: width)
                }
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
