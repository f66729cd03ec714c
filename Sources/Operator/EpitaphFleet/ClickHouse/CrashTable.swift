// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A server's description of the table for crash records, and how to insert rows there.
package struct CrashTable: Sendable, Equatable {
    package let columns: Set<CrashRecord.Column>
    /// The type of annotations; meaningless if the table lacks them.
    package let annotations: AnnotationForm
    package let settings: [String]
    let name: String
    /// Whether the server notes when a row was inserted.
    let hasInsertionTimes: Bool

    /// Alternatives in order of preference. With the first an answer means that the shards have the
    /// rows; with `async_insert` off, that they are written, not only queued.
    static let wanted: [(names: [String], value: String)] = [
        (["insert_distributed_sync", "distributed_foreground_insert"], "1"),
        (["async_insert"], "0"),
        (["insert_deduplicate"], "1"),
        (["deduplicate_blocks_in_dependent_materialized_views"], "1"),
        (["input_format_null_as_default"], "1"),
    ]
    /// If the server knows it, rows sent twice with one token are inserted once.
    static let tokenSetting = "insert_deduplication_token"

    /// A row without these columns is useless.
    static let essential: Set<CrashRecord.Column> = [.id, .time]

    /// The first question: names and types of the columns.
    static func question(about location: ClickHouseLocation) -> String {
        "DESCRIBE TABLE \(location.qualifiedTable) FORMAT JSONEachRow"
    }

    /// The second question: the settings that the server knows.
    static var settingsQuestion: String {
        let names = wanted.flatMap(\.names) + [tokenSetting]
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return "SELECT name FROM system.settings WHERE name IN (\(list)) FORMAT JSONEachRow"
    }

    /// - Throws: if an answer is invalid, or an essential column is missing.
    init(
        _ location: ClickHouseLocation, description: [UInt8], settings: [UInt8] = []
    ) throws(FleetError) {
        name = location.qualifiedTable
        let described = try Self.rows(description, of: location)
        let types = Dictionary(
            described.map { ($0.name, $0.type ?? "") }, uniquingKeysWith: { first, _ in first })
        var found = Set(CrashRecord.Column.allCases.filter { types[$0.rawValue] != nil })
        var form = AnnotationForm.map
        if types["annotations"] == nil, types["annotations.name"] != nil,
            types["annotations.value"] != nil
        {
            found.insert(.annotations)
            form = .arrays
        }
        let missing = Self.essential.subtracting(found)
        guard missing.isEmpty else {
            throw .unsuitableTable(
                "\(location) is no table for crashes: it has no column "
                    + missing.map(\.rawValue).sorted().joined(separator: " and no column ")
                    + "; docs/fleet.md has the table")
        }
        columns = found
        hasInsertionTimes = types["inserted"] != nil
        annotations = form
        self.settings = try Self.rows(settings, of: location).map(\.name)
    }

    /// A sentence about missing columns; nil if there are none.
    package var shortfall: String? {
        let missing = CrashRecord.Column.allCases.filter { !columns.contains($0) }
        guard !missing.isEmpty else { return nil }
        let names = missing.map(\.rawValue).joined(separator: ", ")
        let additions = missing.map { column in
            // Rows that are already there arrived when they were inserted.
            let isKnown = column == .arrived && hasInsertionTimes
            return "ADD COLUMN \(column.rawValue) \(column.type)"
                + (isKnown ? " DEFAULT inserted" : "")
        }
        return "the table \(name) has no column for \(names), which is left out; to add: "
            + "ALTER TABLE \(name) \(additions.joined(separator: ", "))"
    }

    /// The INSERT up to the rows. It names the columns; any server fills in the others.
    var statement: String {
        var names: [String] = []
        for column in CrashRecord.Column.allCases where columns.contains(column) {
            if column == .annotations, annotations == .arrays {
                names += ["`annotations.name`", "`annotations.value`"]
            } else {
                names.append("`\(column.rawValue)`")
            }
        }
        return "INSERT INTO \(name) (\(names.joined(separator: ", "))) FORMAT JSONEachRow"
    }

    /// - Parameter token: the same for equal rows.
    func requestSettings(token: String) -> [ClickHouseClient.Setting] {
        var chosen = Self.wanted.compactMap { wanted -> ClickHouseClient.Setting? in
            wanted.names.first(where: settings.contains).map { ($0, wanted.value) }
        }
        if settings.contains(Self.tokenSetting) { chosen.append((Self.tokenSetting, token)) }
        return chosen
    }

    private struct Row: Decodable {
        let name: String
        let type: String?
    }

    private static func rows(
        _ answer: [UInt8], of location: ClickHouseLocation
    ) throws(FleetError) -> [Row] {
        var rows: [Row] = []
        for line in answer.split(separator: UInt8(ascii: "\n")) {
            guard let row = try? JSONText.decode(Row.self, from: line) else {
                throw .invalidAnswer(
                    server: location.url.server, reason: "it is no list of columns or settings")
            }
            rows.append(row)
        }
        return rows
    }
}

extension CrashRecord.Column {
    /// As in the table of docs/fleet.md.
    var type: String {
        switch self {
        case .id: "UUID"
        case .time, .arrived: "DateTime('UTC')"
        case .microseconds: "UInt32"
        case .frames: "Array(String)"
        case .annotations: "Map(String, String)"
        default: "String"
        }
    }
}
