// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

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
/// and, beside it, what only this package knows of. docs/database.md tells all about it.
///
/// Directories are 0700 and files 0600. Any number of processes may use one database at once. The
/// directories stay open, so the database may be renamed meanwhile.
public final class ReportDatabase: Sendable {
    public enum IfMissing: Sendable {
        /// Make the database; its parent directory must be there.
        case create
        /// Nothing is made, and a database that lacks one of its directories counts as missing.
        case fail
    }

    public let path: String
    let root: Directory
    let newReports: Directory
    let pending: Directory
    let completed: Directory
    let attachments: Directory
    let clock: any WallClock
    let settingsDeadline: Duration

    /// Opens the database at `path`, which must be a directory and no symbolic link; nor may be any
    /// directory in it.
    ///
    /// - Parameters:
    ///   - clock: for creation and attempt times.
    ///   - settingsDeadline: how long to wait for a process that keeps the settings locked.
    /// - Throws: `.missing` when there is none and none is to be made; `.system` otherwise.
    public init(
        opening path: String, ifMissing: IfMissing, clock: any WallClock = SystemWallClock(),
        settingsDeadline: Duration = .seconds(5)
    ) throws(DatabaseError) {
        do throws(SystemError) {
            if ifMissing == .create { try Directory.make(path) }
            root = try Directory(opening: path)
            newReports = try root.subdirectory("new", ifMissing)
            pending = try root.subdirectory(ReportState.pending.rawValue, ifMissing)
            completed = try root.subdirectory(ReportState.completed.rawValue, ifMissing)
            attachments = try root.subdirectory("attachments", ifMissing)
            // Whoever made these may have died before that was safe from a power failure. Costs
            // next to nothing where it is.
            if ifMissing == .create {
                try root.synchronize()
                try root.synchronizeParent()
            }
        } catch {
            if ifMissing == .fail, error.isNotFound { throw .missing(path: path) }
            throw .system(error)
        }
        self.path = path
        self.clock = clock
        self.settingsDeadline = settingsDeadline
    }

    func directory(of state: ReportState) -> Directory {
        switch state {
        case .pending: pending
        case .completed: completed
        }
    }
}

extension ReportDatabase {
    /// A directory beside the reports' own, for example of dumps that are still to become reports;
    /// nil when it is missing and not to be made.
    public func openDirectory(
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
