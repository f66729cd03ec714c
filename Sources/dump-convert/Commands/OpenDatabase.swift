// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import ReportDatabase

extension ReportDatabase {
    /// Opens the database a person named; a symbolic link is followed.
    ///
    /// A directory that is clearly something else is refused.
    ///
    /// - Parameter ifMissing: `.create` for a command that writes: a daemon in C makes the
    ///   directory of the dumps alone.
    convenience init(
        named path: String, ifMissing: IfMissing = .fail
    ) throws(CommandFailure) {
        let resolved = try Self.checkedPath(path)
        do {
            try self.init(opening: resolved, ifMissing: ifMissing)
        } catch DatabaseError.missing {
            throw CommandFailure(
                .notFound,
                "there is no report in \(path) yet; \(WaitingDumps(inDatabaseAt: resolved).sentence)"
            )
        } catch {
            throw CommandFailure(.notFound, "cannot open the database \(path): \(error)")
        }
    }

    /// As above; nil for the directory of a database in which nothing was filed yet.
    static func ifFiled(named path: String) throws(CommandFailure) -> ReportDatabase? {
        let resolved = try checkedPath(path)
        do throws(DatabaseError) {
            return try ReportDatabase(opening: resolved, ifMissing: .fail)
        } catch {
            if case .missing = error { return nil }
            throw CommandFailure(.notFound, "cannot open the database \(path): \(error)")
        }
    }

    private static func checkedPath(_ path: String) throws(CommandFailure) -> String {
        let resolved: String
        let names: [String]
        do throws(SystemError) {
            resolved = try realPath(of: path)
            names = try Directory(opening: resolved).list().names
        } catch {
            throw CommandFailure(
                .notFound, "cannot open the database \(path): \(error.reason)")
        }
        guard names.isEmpty || !ownNames.isDisjoint(with: names) else {
            throw CommandFailure(
                .notFound,
                "\(path) is no crash report database: it has other files in it, and none of "
                    + ownNames.sorted().joined(separator: ", "))
        }
        return resolved
    }

    private static var ownNames: Set<String> {
        ["completed", "new", "pending", "pending-dumps", "settings.dat"]
    }
}

extension ReportDatabase {
    /// False only where it is certain that there is no such report.
    func mayHave(_ report: UUID) -> Bool {
        do {
            _ = try self.report(report)
            return true
        } catch .notFound {
            return false
        } catch {
            return true
        }
    }
}

extension CommandFailure {
    /// A database that is there and did not do what was asked.
    init(_ error: DatabaseError) {
        switch error {
        case .missing, .notFound: self.init(.notFound, "\(error)")
        default: self.init(.incomplete, "\(error)")
        }
    }
}

/// Runs something on the database and makes its error this program's.
func onDatabase<Value>(
    _ body: () throws(DatabaseError) -> Value
) throws(CommandFailure) -> Value {
    do {
        return try body()
    } catch {
        throw CommandFailure(error)
    }
}
