// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A group that may read the reports of a database and change nothing. docs/decisions/rights.md
extension ReportDatabase {
    /// Shared with the group. Waiting dumps and the settings are not.
    private static let sharedNames =
        ["new", "attachments"] + ReportState.allCases.map(\.rawValue)
        + Belonging.allCases.map(\.directoryName)

    /// Lets a group read the present and future files of a database. Returns whether anything was
    /// changed.
    ///
    /// - Parameter directory: the database's, opened with the process's own rights.
    /// - Throws: if the process may not give these rights. Anything shared by then stays shared.
    ///   The database's own directory comes last, because others judge by its permissions.
    package static func share(
        _ directory: Directory, withGroup groupID: UInt32
    ) throws(DatabaseError) -> Bool {
        try attempt { () throws(SystemError) in
            let owner = try directory.fileStatus().ownerID
            let isNew = try !directory.isShared(withGroup: groupID)
            var hasChanged = isNew
            for name in Set(sharedNames).sorted() {
                guard let status = try directory.status(of: name), status.kind == .directory else {
                    continue
                }
                let inner = try directory.openDirectory(name)
                guard try inner.fileStatus().ownerID == owner else { continue }
                // Its creator's umask may have left the group no rights.
                let isShared = try inner.isShared(withGroup: groupID)
                if isNew || !isShared {
                    try share(all: inner, groupID, owner)
                    hasChanged = true
                }
            }
            if isNew { try directory.share(withGroup: groupID) }
            return hasChanged
        }
    }

    private static func share(
        all directory: Directory, _ groupID: UInt32, _ owner: UInt32
    ) throws(SystemError) {
        try directory.share(withGroup: groupID)
        for name in try directory.list(limit: 100_000).names {
            switch try directory.status(of: name)?.kind {
            case .regular:
                do throws(SystemError) {
                    _ = try directory.share(name, withGroup: groupID, ownedBy: owner)
                } catch {
                    // Removed, or replaced by something that cannot be opened this way.
                    guard error.isNotFound || error.isSymbolicLink else { throw error }
                }
            case .directory where Epitaph.ID(name) != nil:
                let inner = try directory.openDirectory(name)
                guard try inner.fileStatus().ownerID == owner else { continue }
                try share(all: inner, groupID, owner)
            default: continue
            }
        }
    }
}
