// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The program's breadcrumbs, latest first: closest to the crash.
package struct BreadcrumbText {
    /// With less room, messages go on lines of their own.
    private static let leastMessageColumns = 30

    private let rows: [Row]
    private let earlierCount: Int
    private let form: TextForm

    /// - Parameter most: how many are shown; nil for all.
    package init(_ snapshot: ProcessSnapshot, most: Int? = nil, _ form: TextForm) {
        let all = TimedBreadcrumb.all(of: snapshot)
        let shown = all.suffix(most ?? all.count)
        let spans = shown.map { $0.spanWords ?? UTCTime.text($0.clockTime) }
        let width = spans.map(\.count).max() ?? 0
        rows = zip(shown, spans).reversed().map { Row($0, span: $1.padded(fromLeftTo: width)) }
        earlierCount = all.count - shown.count
        self.form = form
    }

    package var section: TextSection {
        section { row in
            isTooWide(row)
                ? .prose(
                    lead: [TextSpan("  ")], row.lead + row.words, indent: 4, isProse: false)
                : .prose(lead: row.lead, row.words, isProse: false)
        }
    }

    /// One line each, however long the message.
    package var brief: TextSection {
        section { row in
            let lead = isTooWide(row) ? [TextSpan("  ")] : row.lead
            let spans = isTooWide(row) ? row.lead + row.words : row.words
            let text = spans.map(\.text).joined(separator: " ")
            return TextLine(lead: lead, [.init(text, ifTooLong: .shortenMiddle)], indent: 4)
        }
    }

    private func isTooWide(_ row: Row) -> Bool {
        form.width.map { $0 < row.columns + Self.leastMessageColumns } ?? false
    }

    private func section(_ line: (Row) -> TextLine) -> TextSection {
        guard !rows.isEmpty else { return TextSection() }
        var lines = rows.map(line)
        if earlierCount > 0 {
            let rest = counted(earlierCount, "earlier one")
            lines.append(TextLine("  … \(rest), not shown", .faint))
        }
        return TextSection("Breadcrumbs, the latest first:", lines)
    }

    private struct Row {
        /// Time before the crash, and level.
        let lead: [TextSpan]
        let words: [TextSpan]

        var columns: Int { lead.reduce(0) { $0 + $1.columns } }

        init(_ timed: TimedBreadcrumb, span: String) {
            let breadcrumb = timed.breadcrumb
            let category = breadcrumb.category.isEmpty ? "" : breadcrumb.category + ": "
            let remarks = [
                breadcrumb.isOfTask ? "of the task" : nil, breadcrumb.isCut ? "cut" : nil,
                timed.clockWords,
            ].compactMap(\.self)
            lead = [
                TextSpan("  \(span)  ", .faint),
                TextSpan(
                    breadcrumb.level.word.padded(to: 7) + "  ",
                    breadcrumb.level.isBad ? .mark : .faint),
            ]
            words =
                [TextSpan(category + breadcrumb.message)]
                + (breadcrumb.detailWords.map { [TextSpan($0, .faint)] } ?? [])
                + remarks.map { TextSpan("(\($0))", .faint) }
        }
    }
}

extension String {
    /// Padded on the left, for right-aligned numbers.
    fileprivate func padded(fromLeftTo width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
