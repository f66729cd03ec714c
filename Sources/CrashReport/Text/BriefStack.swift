// SPDX-License-Identifier: Apache-2.0

/// A stack in the few lines of the first screen: how a runtime ended the program is one line, so that
/// the others are the program's own.
enum BriefStack {
    static func lines(_ stack: ReportStack?, names: ReportFrame.Names) -> [TextLine] {
        guard var rest = stack else { return StackText.lines(stack, .brief, names: names) }
        let count = NoiseFrames.leadingCount(rest.frames)
        let folded = rest.frames.prefix(count)
        // Two lines say more than one line about two.
        guard let first = folded.first, let last = folded.last, count > 2,
            count < rest.frames.count, last.index < rest.frames[count].index
        else { return StackText.lines(stack, .brief, names: names) }
        rest.frames.removeFirst(count)
        let width = "#\(rest.frames.last?.index ?? 0)".count
        let numbers = "#\(first.index)-\(last.index)".padded(to: width)
        let ends = [first, last].map { $0.name(names) ?? $0.place?.moduleName ?? "??" }
        let line = TextLine(
            lead: [TextSpan("  \(numbers)  ")],
            [
                .init(
                    "\(ends[1]) … \(ends[0]) (\(counted(count, "frame")) of runtimes)", .faint,
                    ifTooLong: .shortenMiddle)
            ])
        return [line] + StackText.lines(rest, .brief, names: names)
    }
}
