// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphSystem

/// For one task on one thread. SQLite checks each statement's purpose and time limit.
final class SQLiteConnection {
    enum Purpose {
        case reading, changing
    }

    let path: String
    private let options: StorageOptions
    private let purpose: Purpose
    private let database: OpaquePointer
    private let deadline: Deadline

    private final class Deadline {
        var end = ContinuousClock.now
        var isOver: Bool { ContinuousClock.now >= end }
    }

    /// Limit on a text, blob or row.
    private static let valueLimitBytes: Int32 = 16 << 20
    private static let statementLimitBytes: Int32 = 1 << 20
    private static let operationsBetweenLooks: Int32 = 1_000

    init(_ path: String, for purpose: Purpose, options: StorageOptions) throws(StorageError) {
        self.path = path
        self.options = options
        self.purpose = purpose
        if let problem = epitaph_sqlite_problem() {
            throw .noLibrary(String(cString: problem))
        }
        let access = purpose == .reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        var database: OpaquePointer?
        let result = epitaph_sqlite3_open_v2(
            path, &database,
            Int32(access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW),
            nil)
        guard result == SQLITE_OK, let database else {
            if let database { epitaph_sqlite3_close_v2(database) }
            throw .sqlite(path: path, reason: Self.words(result))
        }
        self.database = database
        deadline = Deadline()
        epitaph_sqlite3_busy_timeout(database, Int32(options.busyTimeout.inMilliseconds))
        epitaph_sqlite3_limit(database, Int32(SQLITE_LIMIT_LENGTH), Self.valueLimitBytes)
        epitaph_sqlite3_limit(database, Int32(SQLITE_LIMIT_SQL_LENGTH), Self.statementLimitBytes)
        epitaph_sqlite3_limit(database, Int32(SQLITE_LIMIT_ATTACHED), 0)
        guard epitaph_sqlite_harden(database) == SQLITE_OK else {
            throw .sqlite(path: path, reason: "SQLite is too old to read it with care")
        }
        // The clock belongs to this connection, which outlives the handler.
        epitaph_sqlite3_progress_handler(
            database, Self.operationsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(deadline).toOpaque())
        epitaph_sqlite3_set_authorizer(
            database, purpose == .reading ? authorizeReading : authorizeChanging, nil)
    }

    deinit {
        epitaph_sqlite3_close_v2(database)
    }

    func stayOpen() {
        _ = Unmanaged.passRetained(self)
    }

    var changedRowCount: Int { Int(epitaph_sqlite3_changes(database)) }

    func run(
        _ sql: String, _ values: [SQLiteValue] = [], rowLimit: Int? = nil
    ) throws(StorageError) -> SQLiteRows {
        let statement = try prepare(sql)
        defer { epitaph_sqlite3_finalize(statement) }
        let wanted = Int(epitaph_sqlite3_bind_parameter_count(statement))
        guard wanted == values.count else {
            throw .wrongValueCount(wanted: wanted, given: values.count)
        }
        for (index, value) in values.enumerated() {
            try check(statement.bind(value, at: Int32(index + 1)), sql)
        }
        var rows = SQLiteRows()
        let columns = epitaph_sqlite3_column_count(statement)
        rows.columns = (0..<columns).map { column in
            epitaph_sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
        }
        var bytesLeft = options.resultLimitBytes
        deadline.end = .now + options.timeLimit
        while true {
            let result = epitaph_sqlite3_step(statement)
            if result == SQLITE_DONE { return rows }
            guard result == SQLITE_ROW else { throw problem(result, sql) }
            guard rows.rows.count < rowLimit ?? options.rowLimit, bytesLeft > 0 else {
                rows.isCut = true
                return rows
            }
            rows.rows.append(
                (0..<columns).map { column in
                    let value = statement.value(column, limit: options.valueLimitBytes)
                    bytesLeft -= value.heldBytes
                    return value
                })
        }
    }

    private func prepare(_ sql: String) throws(StorageError) -> OpaquePointer {
        var statement: OpaquePointer?
        var restCount = 0
        var sql = sql
        deadline.end = .now + options.timeLimit
        let result = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let result = epitaph_sqlite3_prepare_v2(
                    database, text.baseAddress, Int32(clamping: text.count), &statement, &tail)
                if let tail, let start = text.baseAddress {
                    let rest = text.dropFirst(start.distance(to: UnsafePointer(tail)))
                    restCount = rest.count { !Self.isBlank($0) }
                }
                return result
            }
        }
        guard result == SQLITE_OK else {
            if let statement { epitaph_sqlite3_finalize(statement) }
            throw problem(result, sql)
        }
        guard let statement else { throw .notOneStatement }
        guard restCount == 0 else {
            epitaph_sqlite3_finalize(statement)
            throw .notOneStatement
        }
        if purpose == .reading, epitaph_sqlite3_stmt_readonly(statement) == 0 {
            epitaph_sqlite3_finalize(statement)
            throw .notARead(statement: Self.beginning(of: sql))
        }
        return statement
    }

    private func check(_ result: Int32, _ sql: String) throws(StorageError) {
        guard result == SQLITE_OK else { throw problem(result, sql) }
    }

    private func problem(_ result: Int32, _ sql: String) -> StorageError {
        // The lowest eight bits: sqlite.org/rescode.html, "Primary result codes".
        switch result & 0xff {
        case Int32(SQLITE_BUSY): return .busy(path: path)
        case Int32(SQLITE_INTERRUPT): return .tookTooLong(path: path)
        // SQLITE_AUTH: denied by the authorizer.
        case 23: return .notARead(statement: Self.beginning(of: sql))
        default:
            let words = epitaph_sqlite3_errmsg(database).map { String(cString: $0) }
            return .sqlite(path: path, reason: words ?? Self.words(result))
        }
    }

    private static func words(_ result: Int32) -> String {
        epitaph_sqlite3_errstr(result).map { String(cString: $0) } ?? "error \(result)"
    }

    private static func beginning(of sql: String) -> String {
        let words = sql.split(maxSplits: 4, whereSeparator: \.isWhitespace).prefix(4)
        return String(words.joined(separator: " ").prefix(80))
    }

    private static func isBlank(_ byte: CChar) -> Bool {
        let byte = UInt8(bitPattern: byte)
        return byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ")
            || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
    }
}

extension OpaquePointer {
    fileprivate func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT: SQLite makes a copy, sqlite.org/c3ref/c_static.html.
        let copies = unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        switch value {
        case .null: return epitaph_sqlite3_bind_null(self, index)
        case .integer(let number): return epitaph_sqlite3_bind_int64(self, index, number)
        case .real(let number): return epitaph_sqlite3_bind_double(self, index, number)
        case .text(let text, _):
            return epitaph_sqlite3_bind_text(
                self, index, text, Int32(clamping: text.utf8.count), copies)
        case .blob(let bytes, _):
            return bytes.withUnsafeBytes {
                // A null pointer would be stored as NULL, not as an empty blob.
                epitaph_sqlite3_bind_blob(
                    self, index, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
                    Int32(clamping: $0.count), copies)
            }
        }
    }

    fileprivate func value(_ column: Int32, limit: Int) -> SQLiteValue {
        switch epitaph_sqlite3_column_type(self, column) {
        case Int32(SQLITE_NULL): return .null
        case Int32(SQLITE_INTEGER): return .integer(epitaph_sqlite3_column_int64(self, column))
        case Int32(SQLITE_FLOAT): return .real(epitaph_sqlite3_column_double(self, column))
        case Int32(SQLITE_BLOB):
            let bytes = UnsafeRawBufferPointer(
                start: epitaph_sqlite3_column_blob(self, column),
                count: Int(epitaph_sqlite3_column_bytes(self, column)))
            return .blob(Array(bytes.prefix(limit)), byteCount: bytes.count)
        default:
            let text = epitaph_sqlite3_column_text(self, column)
            let bytes = UnsafeBufferPointer(
                start: text, count: Int(epitaph_sqlite3_column_bytes(self, column)))
            var kept = bytes.prefix(limit)
            // Do not cut in the middle of a character.
            while kept.count < bytes.count, let next = bytes[safely: kept.count],
                next & 0xc0 == 0x80, !kept.isEmpty
            {
                kept = kept.dropLast()
            }
            return .text(String(decoding: kept, as: UTF8.self), byteCount: bytes.count)
        }
    }
}

extension UnsafeBufferPointer {
    fileprivate subscript(safely index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}

extension SQLiteValue {
    fileprivate var heldBytes: Int {
        switch self {
        case .null, .integer, .real: 8
        case .text(let text, _): 8 + text.utf8.count
        case .blob(let bytes, _): 8 + bytes.count
        }
    }
}
