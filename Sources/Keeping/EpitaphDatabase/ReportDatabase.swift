// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Reports on disk, in the layout of Crashpad's generic database, so that its tools read them:
///
/// ```
/// new/<uuid>.dmp                        being written
/// pending/<uuid>.dmp .meta .lock        waiting for upload
/// completed/<uuid>.dmp .meta .lock      uploaded or given up
/// attachments/<uuid>/<name>
/// settings.dat
/// ```
///
/// and, beside these, files that only this package uses: docs/database.md.
///
/// Directories are 0700 and files 0600, or 2750 and 0640 if a group may read them
/// (`ReportDatabase.share`). Several processes may use one database at once. The directories stay
/// open, so the database may be renamed meanwhile.
package final class ReportDatabase: Sendable {
    package enum IfMissing: Sendable {
        /// Create the database; its parent directory must exist.
        case create
        case fail
    }

    package let path: String
    let root: Directory
    let newReports: Directory
    let pending: Directory
    let completed: Directory
    let attachments: Directory
    let clock: any WallClock
    let settingsDeadline: Duration
    /// Files that an earlier version had created as root and that now belong to the owner again.
    package let givenBack: [String]
    /// Directories that somebody had removed and that were made again.
    package let repaired: [String]

    /// Opens the database at `path`, without symbolic links in it or to it.
    ///
    /// - Parameters:
    ///   - clock: for creation and attempt times.
    ///   - settingsDeadline: how long to wait for a process that keeps the settings locked.
    /// - Throws: `.missing` if there is none and none is to be created; otherwise `.system`.
    package convenience init(
        opening path: String, ifMissing: IfMissing, clock: any WallClock = SystemWallClock(),
        settingsDeadline: Duration = .seconds(5)
    ) throws(DatabaseError) {
        let directory: Directory
        do throws(SystemError) {
            if ifMissing == .create { try Directory.make(path) }
            directory = try Directory(opening: path)
        } catch {
            if ifMissing == .fail, error.isNotFound { throw .missing(path: path) }
            throw .system(error)
        }
        try self.init(
            in: directory, ifMissing: ifMissing, clock: clock, settingsDeadline: settingsDeadline)
    }

    /// Opens the database in an open directory. A process with rights over other users' files works
    /// here with the owner's rights: its files belong to the owner, and links placed by the owner
    /// lead only to the owner's files. root also gives back directories that an earlier version
    /// created as root.
    ///
    /// - Throws: as above, and `.system` if the owner's rights cannot be taken.
    package init(
        in directory: Directory, ifMissing: IfMissing, clock: any WallClock = SystemWallClock(),
        settingsDeadline: Duration = .seconds(5)
    ) throws(DatabaseError) {
        do throws(SystemError) {
            root = try directory.withOwnersRights().sharedAsItIs()
            // Anything else is reported when found.
            givenBack =
                ifMissing == .create ? (try? root.giveBack(knownAs: directory)) ?? [] : []
            var missing: [String] = []
            for name in Self.directoryNames where try root.status(of: name) == nil {
                missing.append(name)
            }
            repaired = missing.count < Self.directoryNames.count ? missing : []
            let ifMissing = repaired.isEmpty ? ifMissing : .create
            newReports = try root.subdirectory("new", ifMissing)
            pending = try root.subdirectory(ReportState.pending.rawValue, ifMissing)
            completed = try root.subdirectory(ReportState.completed.rawValue, ifMissing)
            attachments = try root.subdirectory("attachments", ifMissing)
            // Their creator may have died before they were safe from a power failure. If safe, this
            // costs almost nothing.
            if ifMissing == .create {
                try root.synchronize()
                try root.synchronizeParent()
            }
        } catch {
            if ifMissing == .fail, error.isNotFound { throw .missing(path: directory.path) }
            throw .system(error)
        }
        path = directory.path
        self.clock = clock
        self.settingsDeadline = settingsDeadline
        if ifMissing == .create { settleLeftovers() }
    }

    private static let directoryNames = [
        "new", ReportState.pending.rawValue, ReportState.completed.rawValue, "attachments",
    ]

    /// The user whose rights this process uses here; nil for its own.
    package var owner: FileSystemIdentity? { root.identity }

    /// Runs `body`, which reads files that reports name, with the owner's rights if this process
    /// has more; access inside the database does so anyway.
    ///
    /// - Throws: `.system` if the rights cannot be taken.
    package func asOwner<Value>(_ body: () -> Value) throws(DatabaseError) -> Value {
        guard let owner else { return body() }
        return try attempt { () throws(SystemError) in
            switch try owner.during(body) {
            case .success(let value): value
            }
        }
    }

    func directory(of state: ReportState) -> Directory {
        switch state {
        case .pending: pending
        case .completed: completed
        }
    }
}

extension ReportDatabase {
    package func openDirectory(
        _ name: String, ifMissing: IfMissing
    ) throws(DatabaseError) -> Directory? {
        do throws(SystemError) {
            return try root.subdirectory(name, ifMissing)
        } catch {
            if ifMissing == .fail, error.isNotFound { return nil }
            throw .system(error)
        }
    }
}

extension Directory {
    fileprivate func subdirectory(
        _ name: String, _ ifMissing: ReportDatabase.IfMissing
    ) throws(SystemError) -> Directory {
        switch ifMissing {
        case .create: try makeAndOpen(name)
        case .fail: try openDirectory(name)
        }
    }
}
