// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation

/// Rows in columns, of which the first row has the headings.
///
/// In a file or a pipe every column is as wide as its longest value. On a terminal the widest form
/// that fits is printed, so that no line is broken.
struct ListTable {
    /// From the fullest to the narrowest; each is made only when it is needed.
    let forms: [() -> [[String]]]

    /// Columns that the last one should have before a narrower form is used.
    private static let leastLast = 24

    func print(to output: Output) {
        guard let width = output.terminalWidth else { return Self.print(forms[0](), to: output) }
        for (index, form) in forms.enumerated() {
            let table = form()
            let last = table.map { TerminalText.columns($0[$0.count - 1]) }.max() ?? 0
            let room = width - Self.used(Self.widths(table))
            guard room >= min(last, Self.leastLast) || index == forms.count - 1 else { continue }
            return Self.print(table, room: room, to: output)
        }
    }

    private static func widths(_ rows: [[String]]) -> [Int] {
        (rows.first ?? []).indices.map { column in
            rows.map { TerminalText.columns($0[column]) }.max() ?? 0
        }
    }

    /// By all columns but the last, with the blanks behind them.
    private static func used(_ widths: [Int]) -> Int {
        widths.dropLast().reduce(0) { $0 + $1 + 2 }
    }

    /// - Parameter room: for the last column; nil if it may have any length.
    static func print(_ rows: [[String]], room: Int? = nil, to output: Output) {
        let widths = widths(rows)
        for row in rows where output.isOpen {
            // Nothing follows the last column, so it is not padded.
            let columns = zip(row.dropLast(), widths).map { $0.padded(to: $1) }
            let last = TerminalText.line(
                row[row.count - 1], columns: room.map { max($0, 8) } ?? .max)
            output.print((columns + [last]).joined(separator: "  "))
        }
    }
}

/// Beginnings of ids that are as good as the ids.
struct ShortIDs {
    /// Characters by which each id differs from all others, at least as many as git shows.
    private let length: Int

    init(of ids: [String]) {
        let sorted = ids.sorted()
        let common = zip(sorted, sorted.dropFirst()).map { one, other in
            one == other ? 0 : zip(one, other).prefix { $0 == $1 }.count
        }
        length = max(8, (common.max() ?? 0) + 1)
    }

    func short(_ id: String) -> String { String(id.prefix(length)) }
}
