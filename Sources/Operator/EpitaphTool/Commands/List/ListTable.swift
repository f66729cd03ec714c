// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Rows in columns; the first row has the headings. In a file or pipe every column is as wide as
/// its longest value; on a terminal the widest form that fits is used, so that no line wraps.
struct ListTable {
    /// Made when asked for: a list may be longer than what should be in memory.
    struct Rows {
        let headings: [String]
        let count: Int
        let row: (Int) -> [String]

        init(_ headings: [String], count: Int, row: @escaping (Int) -> [String]) {
            self.headings = headings
            self.count = count
            self.row = row
        }

        init(_ headings: [String], _ rows: [[String]]) {
            self.init(headings, count: rows.count) { rows[$0] }
        }
    }

    /// From the widest to the narrowest; made on demand.
    let forms: [() -> Rows]

    /// Minimum width of the last column before a narrower form is used.
    private static let leastLast = 24

    func print(to output: Output) {
        guard let width = output.terminalWidth else { return Self.print(forms[0](), to: output) }
        for (index, form) in forms.enumerated() {
            let rows = form()
            let widths = Self.widths(rows)
            let room = width - Self.used(widths)
            guard room >= min(widths.last ?? 0, Self.leastLast) || index == forms.count - 1 else {
                continue
            }
            return Self.print(rows, widths, room: room, to: output)
        }
    }

    static func print(_ rows: Rows, to output: Output) {
        print(rows, widths(rows), room: nil, to: output)
    }

    private static func widths(_ rows: Rows) -> [Int] {
        var widths = rows.headings.map(TerminalText.columns)
        for index in 0..<rows.count {
            for (column, text) in rows.row(index).enumerated() {
                widths[column] = max(widths[column], TerminalText.columns(text))
            }
        }
        return widths
    }

    private static func used(_ widths: [Int]) -> Int {
        widths.dropLast().reduce(0) { $0 + $1 + 2 }
    }

    /// - Parameter room: width of the last column; nil for any.
    private static func print(_ rows: Rows, _ widths: [Int], room: Int?, to output: Output) {
        let room = room.map { max($0, 8) } ?? .max
        print(rows.headings, widths, room: room, to: output)
        for index in 0..<rows.count where output.isOpen {
            print(rows.row(index), widths, room: room, to: output)
        }
    }

    private static func print(_ row: [String], _ widths: [Int], room: Int, to output: Output) {
        var line: [UInt8] = []
        for (text, width) in zip(row.dropLast(), widths) {
            line += text.utf8
            let blanks = max(width - TerminalText.columns(text), 0) + 2
            line += repeatElement(UInt8(ascii: " "), count: blanks)
        }
        line += TerminalText.line(row[row.count - 1], columns: room).utf8
        line.append(UInt8(ascii: "\n"))
        output.write(line)
    }
}

/// Unambiguous prefixes of ids.
struct ShortIDs {
    /// Characters that distinguish each id from all others, at least as many as git shows.
    private let length: Int

    init(of reports: some Sequence<ListedReport>) {
        var length = 8
        for report in reports { length = max(length, report.prefixLength) }
        let ids = reports.map(\.report.uuid).sorted()
        for (one, other) in zip(ids, ids.dropFirst()) where one != other {
            length = max(length, one.commonLength(with: other) + 1)
        }
        self.length = length
    }

    func short(_ id: String) -> String { String(id.prefix(length)) }
}

struct ReportTable {
    private let reports: [ListedReport]
    private let showsDatabase: Bool

    init(_ reports: [ListedReport], showsDatabase: Bool) {
        self.reports = reports
        self.showsDatabase = showsDatabase
    }

    var table: ListTable {
        ListTable(forms: [
            { rows(Shape()) },
            { rows(Shape(hasLongIDs: false)) },
            { rows(Shape(hasLongIDs: false, hasTries: false)) },
            { rows(Shape(hasLongIDs: false, hasTries: false, hasLongTimes: false)) },
            { rows(.narrow) },
            { rows(.narrowest) },
        ])
    }

    private struct Shape {
        var hasLongIDs = true
        var hasTries = true
        var hasLongTimes = true
        var hasState = true
        var hasLongPaths = true
        var hasTime = true

        static let narrow = Shape(
            hasLongIDs: false, hasTries: false, hasLongTimes: false, hasState: false,
            hasLongPaths: false)
        static let narrowest = Shape(
            hasLongIDs: false, hasTries: false, hasLongTimes: false, hasState: false,
            hasLongPaths: false, hasTime: false)
    }

    private func rows(_ shape: Shape) -> ListTable.Rows {
        let headings = [
            "ID", shape.hasTime ? "TIME" : nil, "SIGNAL", shape.hasState ? "STATE" : nil,
            shape.hasTries ? "TRIES" : nil,
            showsDatabase ? "DATABASE" : nil, "PROGRAM",
        ]
        let ids = shape.hasLongIDs ? nil : ShortIDs(of: reports)
        return .init(headings.compactMap(\.self), count: reports.count) {
            row(reports[$0], ids, shape)
        }
    }

    private func row(_ listed: ListedReport, _ ids: ShortIDs?, _ shape: Shape) -> [String] {
        let unknown = listed.facts == nil ? "?" : "-"
        let program = listed.facts?.program ?? unknown
        let database = listed.databasePath
        let columns = [
            ids?.short(listed.id) ?? listed.id,
            shape.hasTime ? time(listed.time, isLong: shape.hasLongTimes) : nil,
            listed.facts?.reason ?? unknown,
            shape.hasState ? listed.state : nil,
            shape.hasTries ? String(listed.report.uploadAttempts) : nil,
            // Blanks would split one path into columns.
            showsDatabase
                ? TerminalText.line(shape.hasLongPaths ? database : database.lastPathComponent)
                    .replacing(" ", with: "\\u{20}") : nil,
            shape.hasLongPaths ? program : program.lastPathComponent,
        ]
        return columns.compactMap(\.self)
    }
}

struct GroupTable {
    private let groups: [ReportGroup]

    init(_ groups: [ReportGroup]) { self.groups = groups }

    var table: ListTable {
        ListTable(forms: [
            { rows(hasLongIDs: true, hasLongTimes: true, hasFirst: true) },
            { rows(hasLongIDs: false, hasLongTimes: true, hasFirst: true) },
            { rows(hasLongIDs: false, hasLongTimes: false, hasFirst: true) },
            { rows(hasLongIDs: false, hasLongTimes: false, hasFirst: false) },
        ])
    }

    private func rows(
        hasLongIDs: Bool, hasLongTimes: Bool, hasFirst: Bool
    ) -> ListTable.Rows {
        let headings = ["COUNT", hasFirst ? "FIRST" : nil, "LAST", "LATEST", "SIGNATURE"]
        let ids = hasLongIDs ? nil : ShortIDs(of: groups.lazy.flatMap(\.reports))
        return .init(headings.compactMap(\.self), count: groups.count) { index in
            let group = groups[index]
            let latest = group.reports.last?.id ?? ""
            let columns = [
                String(group.reports.count),
                hasFirst ? time(group.first, isLong: hasLongTimes) : nil,
                time(group.last, isLong: hasLongTimes), ids?.short(latest) ?? latest,
                group.title,
            ]
            return columns.compactMap(\.self)
        }
    }
}

private func time(_ date: Timestamp, isLong: Bool) -> String {
    let whole = UTCTime.timestamp(date)
    // A time without that form is "-".
    guard !isLong, whole.utf8.count == 20 else { return whole }
    return String(whole.dropFirst(5).dropLast(4))
}
