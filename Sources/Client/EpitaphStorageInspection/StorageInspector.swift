// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Reads SQLite databases, and changes them if allowed.
    ///
    /// Each call opens the database, does one thing, and closes it. It can block for
    /// `StorageOptions.busyTimeout` plus `StorageOptions.timeLimit`, so tasks should call it on a
    /// separate thread. From any thread.
    public struct StorageInspector: Sendable {
        public let options: StorageOptions
        private let changed: (@Sendable (StorageChange) -> Void)?

        /// - Parameter changed: called on the caller's thread after `execute` changed something.
        public init(
            options: StorageOptions = StorageOptions(),
            changed: (@Sendable (StorageChange) -> Void)? = nil
        ) {
            self.options = options
            self.changed = changed
        }

        /// The databases in the configured directories, recognised by their first bytes.
        public func databases() -> DatabaseDiscovery {
            DatabaseSearch.run(options)
        }

        /// Tables and views with their columns, by name, without SQLite's internal ones.
        public func tables(of path: String) throws(StorageError) -> [SQLiteTable] {
            try connected(to: path) { (connection) throws(StorageError) in
                try connection.tables()
            }
        }

        public func rowCount(of table: String, in path: String) throws(StorageError) -> Int {
            try connected(to: path) { (connection) throws(StorageError) in
                try connection.rowCount(of: table)
            }
        }

        /// A page of rows, in the order of the table.
        ///
        /// - Parameters:
        ///   - table: name of a table or view, with any characters.
        ///   - offset: rows to skip.
        ///   - count: rows to return, at most `StorageOptions.rowLimit`.
        public func rows(
            of table: String, in path: String, from offset: Int = 0, count: Int = 100
        ) throws(StorageError) -> SQLiteRows {
            try connected(to: path) { (connection) throws(StorageError) in
                try connection.requireTable(table)
                let limit = min(max(count, 0), options.rowLimit)
                // One more than requested, to see whether there are more.
                return try connection.run(
                    "SELECT * FROM \(SQLiteConnection.quoted(table)) LIMIT ? OFFSET ?",
                    [.integer(Int64(limit + 1)), .integer(Int64(max(offset, 0)))], rowLimit: limit)
            }
        }

        /// The rows of a read-only statement, as judged by sqlite3_stmt_readonly and an authorizer.
        public func query(
            _ sql: String, _ values: [SQLiteValue] = [], in path: String
        ) throws(StorageError) -> SQLiteRows {
            try connected(to: path) { (connection) throws(StorageError) in
                try connection.run(sql, values)
            }
        }

        /// Runs one statement as a transaction. Returns the number of changed rows.
        ///
        /// - Throws: `StorageError.writingNotAllowed` unless `StorageOptions.allowsWriting` is set.
        @discardableResult
        public func execute(
            _ sql: String, _ values: [SQLiteValue] = [], in path: String
        ) throws(StorageError) -> Int {
            guard options.allowsWriting else { throw .writingNotAllowed(place: path) }
            let count = try connected(to: path, for: .changing) {
                (connection) throws(StorageError) in
                _ = try connection.run(sql, values)
                return connection.changedRowCount
            }
            changed?(StorageChange(store: path, key: nil, kind: .changed))
            return count
        }

        func connected<Value>(
            to path: String, for purpose: SQLiteConnection.Purpose = .reading,
            _ body: (SQLiteConnection) throws(StorageError) -> Value
        ) throws(StorageError) -> Value {
            let (realPath, identity) = try found(path)
            if !options.sharesLibrary, OpenFiles.count(of: identity) != 0 {
                throw .openHere(path: path)
            }
            let connection = try SQLiteConnection(realPath, for: purpose, options: options)
            let ownCount = OpenFiles.count(of: identity)
            defer {
                // The program opened it in the meantime: closing ours would release its locks.
                if !options.sharesLibrary, OpenFiles.count(of: identity) != ownCount {
                    connection.stayOpen()
                }
            }
            return try body(connection)
        }

        private func found(_ path: String) throws(StorageError) -> (String, FileIdentity) {
            let real: String
            let status: FileStatus?
            do throws(SystemError) {
                real = try realPath(of: path)
                status = try Directory(opening: real.parentPath).status(of: real.lastPathComponent)
            } catch {
                throw .system(error)
            }
            guard let status, status.kind == .regular else {
                throw .sqlite(path: path, reason: "it is not a regular file")
            }
            return (real, status.identity)
        }
    }
}
