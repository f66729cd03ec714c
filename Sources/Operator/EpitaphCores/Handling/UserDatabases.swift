// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues
import Glibc

/// A database for each user in root's directory, `<directory>/<uid>`, which that user can read.
package struct UserDatabases {
    private let directory: Directory
    private let path: String

    /// Only this user may change it: others could put their directory in another user's place.
    package init(_ path: String) throws(CoreHandlerError) {
        self.path = path
        do throws(SystemError) {
            directory = try Directory(named: path)
            let status = try directory.fileStatus()
            guard status.ownerID == geteuid(), status.permissions & 0o022 == 0 else {
                throw SystemError(call: "open", subject: path, errorNumber: EPERM)
            }
        } catch {
            guard error.errorNumber == EPERM, error.call == "open" else { throw .system(error) }
            throw .refused(
                "\(path) must belong to the user that the handler runs as, and nobody else may "
                    + "write to it")
        }
    }

    package func database(of user: UInt32) throws(CoreHandlerError) -> ReportDatabase {
        let own: Directory
        do throws(SystemError) {
            let name = "\(user)"
            try directory.make(name)
            own = try directory.openDirectory(name)
            // An earlier handler may have ended before it gave the directory away.
            if user != geteuid(), try own.fileStatus().ownerID == geteuid(),
                try own.list(limit: 1).names.isEmpty
            {
                try own.give(to: FileSystemIdentity(userID: user))
            }
            guard try own.fileStatus().ownerID == user else {
                throw SystemError(call: "open", subject: own.path, errorNumber: EPERM)
            }
        } catch {
            throw .system(error)
        }
        return try rethrowing(
            ReportDatabase(in: own, ifMissing: .create), as: CoreHandlerError.database)
    }

    /// Counts a report against the rate. Root owns the history, beside the databases.
    ///
    /// - Throws: `.refused` over the rate.
    func count(_ entry: CoreRate.Entry, by rate: CoreRate) throws(CoreHandlerError) {
        try count(entry, by: rate, in: "history")
    }

    /// Stored cores may be old, and a history keeps the hour around the last entry, so they have
    /// one of their own.
    package func countStored(
        _ entry: CoreRate.Entry, by rate: CoreRate
    ) throws(CoreHandlerError) {
        try count(entry, by: rate, in: "history-stored")
    }

    private func count(
        _ entry: CoreRate.Entry, by rate: CoreRate, in name: String
    ) throws(CoreHandlerError) {
        let refusal: String?
        do throws(SystemError) {
            let file = try directory.openForWriting(name, creating: true)
            // Another handler holds the lock for some milliseconds.
            guard try file.lock(.exclusive, within: .seconds(2)) else {
                throw SystemError(call: "flock", subject: file.path, errorNumber: ETIMEDOUT)
            }
            defer { file.unlock() }
            let history = CoreRateFile.entries(try file.readAll(limit: CoreRateFile.byteLimit))
            refusal = rate.refusal(of: entry, after: history)
            if refusal == nil {
                let bytes = CoreRateFile.bytes(rate.recording(entry, after: history))
                try file.truncate(toBytes: 0)
                guard pwrite(file.rawValue, bytes, bytes.count, 0) == bytes.count else {
                    throw .last("pwrite", file.path)
                }
            }
        } catch {
            throw .system(error)
        }
        if let refusal { throw .refused(refusal) }
    }
}
