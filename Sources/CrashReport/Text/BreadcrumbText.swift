// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// What the program noted before it died, from the latest backwards: whoever reads only the
/// beginning reads what was next to the crash.
enum BreadcrumbText {
    /// - Parameter most: how many are shown; nil for all.
    static func section(_ snapshot: ProcessSnapshot, most: Int? = nil) -> TextSection {
        let all = TimedBreadcrumb.all(of: snapshot)
        guard !all.isEmpty else { return TextSection() }
        let shown = all.suffix(most ?? all.count)
        let spans = shown.map { $0.spanWords ?? UTCTime.text($0.clockTime) }
        let width = spans.map(\.count).max() ?? 0
        var lines = zip(shown, spans).reversed().map { line($0, $1.padded(fromLeftTo: width)) }
        if shown.count < all.count {
            let rest = counted(all.count - shown.count, "earlier one")
            lines.append(TextLine("  … \(rest), not shown", .faint))
        }
        return TextSection("Breadcrumbs, the latest first:", lines)
    }

    private static func line(_ timed: TimedBreadcrumb, _ span: String) -> TextLine {
        let breadcrumb = timed.breadcrumb
        let category = breadcrumb.category.isEmpty ? "" : breadcrumb.category + ": "
        let remarks = [breadcrumb.isCut ? "cut" : nil, timed.clockWords].compactMap(\.self)
        var line = TextLine.prose(
            lead: [
                TextSpan("  \(span)  ", .faint),
                TextSpan(
                    breadcrumb.level.word.padded(to: 7) + "  ",
                    breadcrumb.level.isBad ? .mark : .faint),
            ],
            [TextSpan(category + breadcrumb.message)]
                + remarks.map { TextSpan("(\($0))", .faint) })
        line.isProse = false
        return line
    }
}

extension String {
    /// With blanks before it, so that columns of numbers line up at their right.
    fileprivate func padded(fromLeftTo width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
