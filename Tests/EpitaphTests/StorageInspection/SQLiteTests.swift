// SPDX-License-Identifier: Apache-2.0

import EpitaphStorageInspection
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.enabled(if: Databases.isPossible, "libsqlite3 and sqlite3 are not here"))
struct SQLiteTests {
    @Test("Databases are found by their first bytes, whatever they are called")
    func discovery() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("a/b/c"), withIntermediateDirectories: true)
        try Databases.make("a/b/ledger", in: directory, Databases.ledger)
        try Databases.make("a/b/c/deep.db", in: directory, Databases.ledger)
        try directory.write([UInt8](repeating: 7, count: 4_096), to: "fake.db")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("a/again"), withDestinationPath: directory.path("a/b"))
        #expect(mkfifo(directory.path("pipe.db"), 0o600) == 0)
        var options = StorageOptions()
        options.directories = [directory.path, directory.path("a"), directory.path("missing")]
        options.depthLimit = 2
        let found = StorageInspector(options: options).databases()
        #expect(found.databases.map(\.path) == [try realPath(of: directory.path("a/b/ledger"))])
        #expect(found.databases.allSatisfy { !$0.isOpenHere && $0.sizeBytes >= 4_096 })
        #expect(found.isCut)
        #expect(found.problems.count == 1 && found.problems[0].contains("missing"))
        options.depthLimit = 4
        options.nameLimit = 3
        #expect(StorageInspector(options: options).databases().isCut)
    }

    @Test("Tables, columns, counts and pages of rows")
    func contents() throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        let inspector = StorageInspector()
        let tables = try inspector.tables(of: path)
        #expect(tables.map(\.name) == ["entry", "large", "odd \" name"])
        #expect(tables.map(\.kind) == [.table, .view, .table])
        #expect(tables[0].columns.map(\.name) == ["id", "who", "amount", "note"])
        #expect(tables[0].columns.map(\.isRequired) == [false, true, false, false])
        #expect(tables[0].columns.map(\.keyPosition) == [1, 0, 0, 0])
        #expect(try inspector.rowCount(of: "entry", in: path) == 3)
        let page = try inspector.rows(of: "entry", in: path, from: 0, count: 2)
        #expect(page.columns == ["id", "who", "amount", "note"])
        #expect(
            page.rows == [
                [.integer(1), .text("anna"), .real(2.5), .blob([0, 1, 255])],
                [.integer(2), .text("bert"), .null, .null],
            ])
        #expect(page.isCut)
        let rest = try inspector.rows(of: "entry", in: path, from: 2, count: 2)
        #expect(rest.rows.count == 1 && !rest.isCut)
        #expect(try inspector.rows(of: "odd \" name", in: path).rows.isEmpty)
        #expect(throws: StorageError.noTable(path: path, name: "x; DROP TABLE entry")) {
            try inspector.rows(of: "x; DROP TABLE entry", in: path)
        }
    }

    @Test(
        "What does more than read is no query",
        arguments: [
            "INSERT INTO entry (who) VALUES ('x')", "DELETE FROM entry", "DROP TABLE entry",
            "CREATE TABLE x (a)", "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1",
            "ATTACH '/tmp/other.db' AS o", "VACUUM INTO '/tmp/copy.db'", "BEGIN EXCLUSIVE",
            "SELECT load_extension('x')", "WITH a AS (SELECT 1) DELETE FROM entry",
        ])
    func notReading(_ sql: String) throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let inspector = StorageInspector()
        #expect(throws: StorageError.self) { try inspector.query(sql, in: path) }
        #expect(throws: StorageError.writingNotAllowed(place: path)) {
            try inspector.execute(sql, in: path)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/copy.db"))
    }

    @Test("A query has values for its placeholders, and is one statement")
    func queries() throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        let inspector = StorageInspector()
        let rows = try inspector.query(
            "SELECT who FROM entry WHERE who = ? OR id = ?;\n", [.text("anna"), .integer(3)],
            in: path)
        #expect(rows.rows == [[.text("anna")], [.text("ännchen")]])
        #expect(throws: StorageError.wrongValueCount(wanted: 1, given: 0)) {
            try inspector.query("SELECT ?", in: path)
        }
        for sql in ["", "  -- nothing", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM entry"] {
            #expect(throws: StorageError.notOneStatement) { try inspector.query(sql, in: path) }
        }
        do {
            _ = try inspector.query("SELECT nothing FROM entry", in: path)
            Issue.record("there is no such column")
        } catch {
            #expect(error.description.contains("nothing") && error.description.contains(path))
        }
    }

    @Test("Changes are made where they are allowed, are told, and stay within the database")
    func changes() throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        let told = Mutex<[StorageChange]>([])
        var options = StorageOptions()
        options.allowsWriting = true
        let inspector = StorageInspector(options: options) { change in
            told.withLock { $0.append(change) }
        }
        #expect(
            try inspector.execute(
                "UPDATE entry SET amount = ? WHERE id < ?", [.real(1), .integer(3)], in: path)
                == 2)
        #expect(told.withLock { $0 } == [StorageChange(store: path, key: nil, kind: .changed)])
        for sql in [
            "ATTACH '/tmp/other.db' AS o", "PRAGMA journal_mode = WAL",
            "SELECT load_extension('x')",
        ] {
            #expect(throws: StorageError.self) { try inspector.execute(sql, in: path) }
        }
        #expect(told.withLock { $0 }.count == 1)
    }

    @Test("Large values and results are cut, and a statement that takes too long ends")
    func bounds() throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        var options = StorageOptions()
        options.valueLimitBytes = 4
        options.timeLimit = .seconds(0.05)
        options.resultLimitBytes = 100
        let inspector = StorageInspector(options: options)
        let cut = try inspector.query("SELECT 'abcäöü', zeroblob(1000000)", in: path)
        #expect(
            cut.rows == [[.text("abc", byteCount: 9), .blob([0, 0, 0, 0], byteCount: 1_000_000)]])
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
        let many = try inspector.query(endless + "i FROM n", in: path)
        #expect(many.isCut && many.rows.count < 50)
        #expect(throws: StorageError.tookTooLong(path: path)) {
            try inspector.query(endless + "max(i) FROM n", in: path)
        }
    }

    @Test("A database that is locked, broken, missing, or no file is a clear error")
    func badDatabases() throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        let inspector = StorageInspector()
        let noise = try directory.write([UInt8](repeating: 7, count: 4_096), to: "noise.db")
        for path in [noise, directory.path("missing.db"), directory.path] {
            do {
                _ = try inspector.tables(of: path)
                Issue.record("\(path) is no database")
            } catch {
                #expect(error.description.contains(path))
            }
        }
        // Another process holds it: that of sqlite3, which waits for its input.
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["sqlite3", "-batch", path]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        defer { holder.terminate() }
        input.fileHandleForWriting.write(Data("BEGIN EXCLUSIVE;\nSELECT 'held';\n".utf8))
        #expect(
            String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "held\n")
        #expect(throws: StorageError.busy(path: path)) { try inspector.tables(of: path) }
        var options = StorageOptions()
        #expect(options.busyTimeout == .milliseconds(250))
        options.busyTimeout = .seconds(60)
        #expect(options.busyTimeout == .seconds(10))
    }

    @Test("A database that this process has open itself is left alone, and its locks stay")
    func openHere() throws {
        let directory = try TemporaryDirectory()
        let path = try Databases.make("ledger.db", in: directory, Databases.ledger)
        let file = try FileDescriptor.open(path, flags: O_RDWR, mode: 0)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        #expect(fcntl(file.rawValue, F_SETLK, &lock) == 0)
        var options = StorageOptions()
        options.directories = [directory.path]
        let inspector = StorageInspector(options: options)
        #expect(inspector.databases().databases.map(\.isOpenHere) == [true])
        #expect(throws: StorageError.openHere(path: path)) { try inspector.tables(of: path) }
        #expect(StorageSummary().text(of: inspector).contains("this process has it open"))
        // Only another process sees the lock.
        let asked = try Subprocess.run([
            "python3", "-c",
            "import fcntl,sys\ntry: fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB, 1)\n"
                + "except OSError: sys.exit(3)", path,
        ])
        #expect(asked.ending == .exited(3), "\(asked.standardError)")
    }

    @Test("The text for a report has tables and counts, and rows only where they are asked for")
    func summary() throws {
        let directory = try TemporaryDirectory()
        try Databases.make("ledger.db", in: directory, Databases.ledger)
        var options = StorageOptions()
        options.directories = [directory.path]
        let inspector = StorageInspector(options: options)
        var summary = StorageSummary()
        let text = summary.text(of: inspector)
        #expect(text.contains("table entry: 3 rows") && text.contains("who TEXT NOT NULL"))
        #expect(!text.contains("anna"))
        summary.rowCount = 1
        #expect(summary.text(of: inspector).contains("1 | anna | 2.5 | blob of 3 bytes"))
        summary.limitBytes = 0
        #expect(summary.limitBytes == 1_024)
    }
}
