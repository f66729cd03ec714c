// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package enum StackText {
    package enum Detail {
        /// Functions and file names, one line each.
        case brief
        case full
    }

    package static func lines(
        _ stack: ReportStack?, _ detail: Detail = .full, names: ReportFrame.Names = .short,
        last: [TextLine] = []
    ) -> [TextLine] {
        let outline = StackOutline(stack, showsOwn: names == .full)
        let width = "#\(stack?.frames.last?.index ?? 0)".count
        let lines = outline.lines.flatMap { line in
            switch line {
            case .frame(let frame): Self.lines(frame, detail, numberWidth: width, names)
            case .folded(let fold): [Self.line(fold, indent: width + 4)]
            }
        }
        // A remark that replaces the frames is indented like one.
        let indent = lines.isEmpty ? 2 : 4
        return lines + last
            + outline.remarks.map {
                .prose(lead: [TextSpan("  ")], [TextSpan($0, .mark)], indent: indent)
            }
    }

    /// Folds the runtimes' innermost and outermost frames into a line each: the first screen is for
    /// the program's.
    package static func briefLines(_ stack: ReportStack?, names: ReportFrame.Names) -> [TextLine] {
        guard var rest = stack else { return lines(stack, .brief, names: names) }
        var (first, last): ([TextLine], [TextLine]) = ([], [])
        let (innermost, outermost) = rest.runtimeCounts
        let tail = rest.frames.suffix(outermost)
        if outermost > 2, outermost < rest.frames.count {
            rest.frames.removeLast(outermost)
            last = [fold(tail, before: rest, names)]
        }
        let head = rest.frames.prefix(innermost)
        // Two frames are better shown than summarised.
        if innermost > 2, innermost < rest.frames.count,
            head.last?.index != rest.frames[innermost].index
        {
            rest.frames.removeFirst(innermost)
            first = [fold(head, before: rest, names)]
        }
        return first + lines(rest, .brief, names: names, last: last)
    }

    /// - Parameter rest: the frames with whose numbers the line is aligned.
    private static func fold(
        _ folded: ArraySlice<ReportFrame>, before rest: ReportStack, _ names: ReportFrame.Names
    ) -> TextLine {
        guard let first = folded.first, let last = folded.last else { return TextLine("", .plain) }
        let width = "#\(rest.frames.last?.index ?? 0)".count
        let numbers = "#\(first.index)-\(last.index)".padded(to: width)
        let ends = [first, last].map { $0.name(names) ?? $0.place?.moduleName ?? "??" }
        return TextLine(
            lead: [TextSpan("  \(numbers)  ")],
            [
                .init(
                    "\(ends[1]) … \(ends[0]) (\(counted(folded.count, "frame")) of runtimes)",
                    .faint, ifTooLong: .shortenMiddle)
            ])
    }

    private static func lines(
        _ frame: ReportFrame, _ detail: Detail, numberWidth: Int, _ names: ReportFrame.Names
    ) -> [TextLine] {
        let text = FrameText(frame, numberWidth: numberWidth, names: names)
        let gap = frame.omission.map { omission in
            TextLine(
                lead: [TextSpan(String(repeating: " ", count: numberWidth + 4))],
                [.init("… \(omission.words)", .mark)], indent: numberWidth + 6)
        }
        return (gap.map { [$0] } ?? [])
            + (detail == .full ? [text.line] + text.excerpt : [text.brief])
    }

    private static func line(_ fold: StackOutline.Fold, indent: Int) -> TextLine {
        let function = fold.function.map {
            TextLine.Chunk($0, .function, ifTooLong: .shortenMiddle)
        }
        let chunks = [.init(fold.before, .mark), function, fold.after.map { .init($0, .mark) }]
        return TextLine(
            lead: [TextSpan(String(repeating: " ", count: indent))], chunks.compactMap(\.self),
            indent: function == nil ? indent : indent + 2)
    }
}
