// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

extension ReportDatabase {
    /// Opens a directory with waiting dumps outside of the database, by the writers' rule: it must
    /// belong to the database's owner, and nobody else may write to it.
    /// docs/decisions/pending-dumps.md. Everything in it is done with the owner's rights.
    ///
    /// - Parameter path: its symbolic links are followed, once.
    /// - Returns: nil if there is none.
    /// - Throws: `.broken` if the rule is violated, otherwise `.system`.
    package func openCrashDirectory(_ path: String) throws(DatabaseError) -> Directory? {
        let directory: Directory
        let status: FileStatus
        let owner: UInt32
        do throws(SystemError) {
            directory = try Directory(named: path)
            status = try directory.fileStatus()
            owner = try root.fileStatus().ownerID
        } catch {
            if error.isNotFound { return nil }
            throw .system(error)
        }
        guard status.ownerID == owner else {
            throw .broken(
                path: path,
                reason: "dumps are not taken from it: it belongs to another user than the database")
        }
        guard status.permissions & 0o022 == 0 else {
            throw .broken(
                path: path, reason: "dumps are not taken from it: other users may write to it")
        }
        return try attempt(directory.withOwnersRights())
    }
}
