// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation

/// Two reports side by side as text, with diff(1)'s marks before the columns: `|` if they differ,
/// `<` and `>` for one only. `=` marks equal values, shown once across the line.
package struct ComparisonText: Sendable {
    /// Keeps one long value from pushing the others out of sight.
    private static let widestOutsideTerminals = 76

    private let comparison: ReportComparison
    private let form: TextForm

    /// - Parameter form: on a terminal each column gets half of the width and longer values are
    ///   shortened; in a file or pipe nothing is.
    package init(_ comparison: ReportComparison, form: TextForm = .plain) {
        self.comparison = comparison
        self.form = form
    }

    /// Without line breaks; safe to print.
    package var lines: [String] {
        let verdict = comparison.verdict.flatMap {
            TextLine.prose([TextSpan("\($0).")]).rendered(form)
        }
        return verdict
            + comparison.sections.flatMap { section in
                [""] + TextLine.heading("\(section.title):").rendered(form) + lines(of: section)
            }
    }

    private func lines(of section: ReportComparison.Section) -> [String] {
        let cells = section.rows.map { row in
            (
                label: row.label.map { TerminalText.line($0) } ?? "",
                left: oneLine(row.left), right: oneLine(row.right), change: row.change
            )
        }
        let labels = cells.map { TextWidth.columns($0.label) }.max() ?? 0
        // Indentation, label, mark, and the blanks between them.
        let lead = 2 + (labels == 0 ? 0 : min(labels, longestLabel) + 2) + 3
        let widest = cells.map { TextWidth.columns($0.left) }.max() ?? 0
        let half =
            form.width.map { max(($0 - lead - 2) / 2, 8) }
            ?? min(widest, Self.widestOutsideTerminals)
        return cells.map { cell in
            let label = ShortenedText.middle(cell.label, columns: longestLabel)
            let start = "  " + (labels == 0 ? "" : label.padded(to: lead - 7) + "  ")
            var line = "\(Self.mark(cell.change))  "
            if cell.change == .same {
                line += shortened(cell.left, half * 2 + 2)
            } else {
                let left = shortened(cell.left, half)
                line +=
                    cell.right.isEmpty
                    ? left : left.padded(to: half) + "  " + shortened(cell.right, half)
            }
            return [TextSpan(start, .faint), TextSpan(line, style(cell.change))]
                .map { $0.rendered(form) }.joined()
        }
    }

    private func oneLine(_ text: String?) -> String {
        (text ?? "").split(separator: "\n").map { TerminalText.line(String($0)) }
            .joined(separator: " ")
    }

    private func shortened(_ text: String, _ columns: Int) -> String {
        form.width == nil ? text : ShortenedText.middle(text, columns: columns)
    }

    private var longestLabel: Int { form.width.map { max($0 / 4, 8) } ?? .max }

    private func style(_ change: ReportComparison.Change) -> TextStyle {
        change == .same ? .plain : .mark
    }

    private static func mark(_ change: ReportComparison.Change) -> String {
        switch change {
        case .same: "="
        case .changed: "|"
        case .onlyLeft: "<"
        case .onlyRight: ">"
        }
    }
}
