// SPDX-License-Identifier: Apache-2.0

extension SQLiteConnection {
    /// Prefix of SQLite's own and its extensions' shadow tables, sqlite.org/fileformat2.html.
    private static let ownPrefix = "sqlite_"
    private static let tableLimit = 10_000

    static func quoted(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\"\"")
            + "\""
    }

    func tables() throws(StorageError) -> [SQLiteTable] {
        let found = try run(
            "SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name",
            rowLimit: Self.tableLimit)
        guard !found.isCut else {
            throw .sqlite(path: path, reason: "it has too many tables to list")
        }
        var tables: [SQLiteTable] = []
        for row in found.rows {
            guard case .text(let name, _) = row[0], case .text(let type, _) = row[1],
                let kind = SQLiteTable.Kind(rawValue: type), !name.hasPrefix(Self.ownPrefix)
            else { continue }
            var statement = ""
            if case .text(let text, _) = row[2] { statement = text }
            tables.append(
                SQLiteTable(
                    name: name, kind: kind, statement: statement, columns: try columns(of: name)))
        }
        return tables
    }

    func requireTable(_ name: String) throws(StorageError) {
        let found = try run(
            "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?",
            [.text(name)])
        guard !found.rows.isEmpty else { throw .noTable(path: path, name: name) }
    }

    func rowCount(of table: String) throws(StorageError) -> Int {
        try requireTable(table)
        let found = try run("SELECT count(*) FROM \(Self.quoted(table))")
        guard case .integer(let count)? = found.rows.first?.first else { return 0 }
        return Int(count)
    }

    private func columns(of table: String) throws(StorageError) -> [SQLiteTable.Column] {
        // As a table of a SELECT, the pragma would count as a change of the schema.
        let found = try run("PRAGMA table_info(\(Self.quoted(table)))")
        return found.rows.compactMap { row in
            guard row.count >= 6, case .text(let name, _) = row[1],
                case .text(let type, _) = row[2],
                case .integer(let isRequired) = row[3], case .integer(let position) = row[5]
            else { return nil }
            return SQLiteTable.Column(
                name: name, type: type, isRequired: isRequired != 0,
                keyPosition: Int(position))
        }
    }
}
