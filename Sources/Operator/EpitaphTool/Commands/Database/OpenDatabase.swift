// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    /// Opens the database at the user's path, following a symbolic link once, so that the directory
    /// that was checked is the one that is used. Refuses what is clearly not a database. For root,
    /// another user's database is read with that user's rights: docs/decisions/rights.md.
    ///
    /// - Parameter ifMissing: `.create` for a command that writes: a C daemon creates only the
    ///   dumps' directory.
    convenience init(
        named path: String, ifMissing: IfMissing = .fail
    ) throws(CommandFailure) {
        let directory = try Self.checkedDirectory(path)
        do {
            try self.init(in: directory, ifMissing: ifMissing)
        } catch DatabaseError.missing {
            throw CommandFailure(
                .notFound,
                "there is no report in \(path) yet; \(WaitingDumps(in: directory).sentence)")
        } catch {
            throw CommandFailure(.notFound, "cannot open the database \(path): \(error)")
        }
    }

    static func ifFiled(named path: String) throws(CommandFailure) -> ReportDatabase? {
        try ifFiled(in: checkedDirectory(path))
    }

    static func ifFiled(in directory: Directory) throws(CommandFailure) -> ReportDatabase? {
        do throws(DatabaseError) {
            return try ReportDatabase(in: directory, ifMissing: .fail)
        } catch {
            if case .missing = error { return nil }
            throw CommandFailure(
                .notFound, "cannot open the database \(directory.path): \(error)")
        }
    }

    static func isDatabase(at path: String) -> Bool? {
        guard let directory = try? Directory(named: path),
            let names = try? directory.withOwnersRights().list(limit: 1_000).names
        else { return nil }
        return !ownNames.isDisjoint(with: names)
    }

    /// The directory; it is accessed with its owner's rights from now on.
    static func checkedDirectory(_ path: String) throws(CommandFailure) -> Directory {
        let directory: Directory
        let names: [String]
        do throws(SystemError) {
            directory = try Directory(named: path)
            names = try directory.withOwnersRights().list().names
        } catch {
            throw CommandFailure(
                .notFound, "cannot open the database \(path): \(reason(error))")
        }
        guard names.isEmpty || !ownNames.isDisjoint(with: names) else {
            throw CommandFailure(
                .notFound,
                "\(path) is not a crash report database: it contains other files, and none of "
                    + ownNames.sorted().joined(separator: ", "))
        }
        return directory
    }

    private static func reason(_ error: SystemError) -> String {
        switch error.call {
        case "readlinkat" where error.isNotPermitted:
            "a symbolic link in the path belongs to another user, who may have pointed it at a "
                + "different database; name the directory itself"
        case "setgroups", "setfsgid", "setfsuid", "capget", "capset":
            "it belongs to another user, and this process cannot take \(error.subject) "
                + "(\(error.reason), \(error.call)); run this as that user"
        default: error.reason
        }
    }

    /// Notes what was mended: missing directories, and files an earlier version left owned by root.
    func noteRepairs(to output: Output) {
        if !repaired.isEmpty {
            output.note(
                "\(path) had no \(repaired.joined(separator: ", ")) any more; made again, empty")
        }
        guard !givenBack.isEmpty, let owner else { return }
        output.note(
            "\(givenBack.joined(separator: ", ")) belonged to root, made by an earlier version "
                + "that ran as root; now given to user \(owner.userID), who owns the database")
    }

    static var ownNames: Set<String> {
        ["completed", "new", "pending", "pending-dumps", "settings.dat"]
    }

    func mayHave(_ report: Epitaph.ID) -> Bool {
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
    init(_ error: DatabaseError) {
        switch error {
        case .missing, .notFound: self.init(.notFound, "\(error)")
        default: self.init(.incomplete, "\(error)")
        }
    }
}

func onDatabase<Value>(
    _ value: @autoclosure () throws(DatabaseError) -> Value
) throws(CommandFailure) -> Value {
    try rethrowing(value(), as: CommandFailure.init)
}
