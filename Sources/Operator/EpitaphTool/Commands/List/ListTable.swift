// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Rows in columns; the first row has the headings.
///
/// In a file or pipe every column is as wide as its longest value. On a terminal the widest form
/// that fits is used, so that no line wraps.
struct ListTable {
    /// From the widest to the narrowest; made on demand.
    let forms: [() -> [[String]]]

    /// Minimum width of the last column before a narrower form is used.
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

    /// The width of all columns but the last, with separators.
    private static func used(_ widths: [Int]) -> Int {
        widths.dropLast().reduce(0) { $0 + $1 + 2 }
    }

    /// - Parameter room: width of the last column; nil for any.
    static func print(_ rows: [[String]], room: Int? = nil, to output: Output) {
        let widths = widths(rows)
        for row in rows where output.isOpen {
            let columns = zip(row.dropLast(), widths).map { $0.padded(to: $1) }
            let last = TerminalText.line(
                row[row.count - 1], columns: room.map { max($0, 8) } ?? .max)
            output.print((columns + [last]).joined(separator: "  "))
        }
    }
}

/// Unambiguous prefixes of ids.
struct ShortIDs {
    /// Characters that distinguish each id from all others, at least as many as git shows.
    private let length: Int

    init(of reports: some Sequence<ListedReport>) {
        let ids = Set(reports.flatMap { [$0.report.uuid] + $0.neighbours }).sorted()
        let common = zip(ids, ids.dropFirst()).map { one, other in
            zip(one.description.utf8, other.description.utf8).prefix { $0 == $1 }.count
        }
        length = max(8, (common.max() ?? 0) + 1)
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

    private func rows(_ shape: Shape) -> [[String]] {
        let headings = [
            "ID", shape.hasTime ? "TIME" : nil, "SIGNAL", shape.hasState ? "STATE" : nil,
            shape.hasTries ? "TRIES" : nil,
            showsDatabase ? "DATABASE" : nil, "PROGRAM",
        ]
        let ids = shape.hasLongIDs ? nil : ShortIDs(of: reports)
        return [headings.compactMap(\.self)] + reports.map { row($0, ids, shape) }
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
                ? TerminalText.line(shape.hasLongPaths ? database : fileName(database))
                    .replacing(" ", with: "\\u{20}") : nil,
            shape.hasLongPaths ? program : fileName(program),
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

    private func rows(hasLongIDs: Bool, hasLongTimes: Bool, hasFirst: Bool) -> [[String]] {
        let headings = ["COUNT", hasFirst ? "FIRST" : nil, "LAST", "LATEST", "SIGNATURE"]
        let ids = hasLongIDs ? nil : ShortIDs(of: groups.lazy.flatMap(\.reports))
        return [headings.compactMap(\.self)]
            + groups.map { group in
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

/// `2026-08-22T03:14:07Z`, or `08-22T03:14` on a narrow terminal.
private func time(_ date: Timestamp, isLong: Bool) -> String {
    let whole = UTCTime.timestamp(date)
    // A time without that form is "-".
    guard !isLong, whole.utf8.count == 20 else { return whole }
    return String(whole.dropFirst(5).dropLast(4))
}

private func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}
