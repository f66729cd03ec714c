// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphStorageInspection
import EpitaphTestSupport
import Foundation
import Testing

/// A database of the test's own, made by sqlite3, the command, in a process of its own: what this
/// process has open is left alone.
enum Databases {
    struct NotMade: Error {
        let words: String
    }

    @discardableResult
    static func make(_ name: String, in directory: TemporaryDirectory, _ sql: String) throws
        -> String
    {
        let path = directory.path(name)
        let result = try Subprocess.run(["sqlite3", "-batch", path, sql])
        guard result.ending == .exited(0) else { throw NotMade(words: result.standardError) }
        return path
    }

    static let isPossible: Bool = {
        guard epitaph_sqlite_problem() == nil else { return false }
        return (try? Subprocess.run(["sqlite3", "-version"]))?.ending == .exited(0)
    }()

    static let ledger = """
        CREATE TABLE entry (id INTEGER PRIMARY KEY, who TEXT NOT NULL, amount REAL, note BLOB);
        CREATE VIEW large AS SELECT who FROM entry WHERE amount > 100;
        CREATE TABLE "odd "" name" (a);
        INSERT INTO entry VALUES (1, 'anna', 2.5, x'0001ff'), (2, 'bert', NULL, NULL),
            (3, 'ännchen', 200, NULL);
        """
}
