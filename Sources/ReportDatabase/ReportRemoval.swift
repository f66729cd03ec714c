// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

extension ReportDatabase {
    /// Removes a report with all that belongs to it.
    public func delete(_ uuid: UUID) throws(DatabaseError) {
        for state in ReportState.allCases where try remove(uuid, from: state) { return }
        throw .notFound(uuid.fileStem)
    }

    /// Removes a report from the directory of one state, if it is there and, once it is locked,
    /// still as expected.
    ///
    /// The minidump goes first and for good: what an interruption leaves after that is no report,
    /// and `removeStalePieces` takes it away. Were the metadata gone and the minidump still there
    /// after a power failure, it would be a report again.
    ///
    /// - Parameter expected: nil when any will do.
    /// - Returns: whether it was removed.
    /// - Throws: `.busy` when another process works on it.
    func remove(
        _ uuid: UUID, from state: ReportState, ifStill expected: PruneCandidate? = nil
    ) throws(DatabaseError) -> Bool {
        let directory = directory(of: state)
        let isThere = try attempt { () throws(SystemError) in
            try directory.status(of: uuid.minidumpName) != nil
        }
        guard isThere else { return false }
        let lock = try ReportLock.acquire(uuid, in: directory, at: clock.now())
        defer { lock.release() }
        if let expected {
            guard let report = try load(uuid, state),
                PruneCandidate(report).isStill(expected)
            else { return false }
        }
        return try removeLocked(uuid, from: state)
    }

    private func removeLocked(
        _ uuid: UUID, from state: ReportState
    ) throws(DatabaseError) -> Bool {
        let directory = directory(of: state)
        let wasThere = try attempt { () throws(SystemError) in
            let wasThere = try directory.remove(uuid.minidumpName)
            try directory.synchronize()
            return wasThere
        }
        guard wasThere else { return false }
        try removeMetadata(of: uuid, in: directory)
        // An interrupted move may have left some in the other directory, too; nobody can be about
        // to move a report whose lock is held.
        let other = self.directory(of: state == .pending ? .completed : .pending)
        let isLone = try attempt { () throws(SystemError) in
            try other.status(of: uuid.minidumpName) == nil
        }
        if isLone {
            try removeMetadata(of: uuid, in: other)
            try removeBelongings(of: uuid)
        }
        try attempt { () throws(SystemError) in
            try directory.synchronize()
            if isLone { try other.synchronize() }
        }
        return true
    }

    /// Metadata of a removed report; something else in its place is no part of it and stays.
    func removeMetadata(of uuid: UUID, in directory: Directory) throws(DatabaseError) {
        try attempt { () throws(SystemError) in
            guard try directory.status(of: uuid.metadataName)?.kind != .directory else { return }
            try directory.remove(uuid.metadataName)
        }
    }
}

extension PruneCandidate {
    /// Asked by the one who holds the lock. The size may come out differently where the attachments
    /// cannot be looked at; a filed report's does not change.
    fileprivate func isStill(_ other: PruneCandidate) -> Bool {
        uuid == other.uuid && state == other.state && creationTime == other.creationTime
            && isUploaded == other.isUploaded && isUploadRequested == other.isUploadRequested
    }
}
