// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    package func delete(_ uuid: Epitaph.ID) throws(DatabaseError) {
        for state in ReportState.allCases where try remove(uuid, from: state) { return }
        throw .notFound(uuid.fileStem)
    }

    /// Returns whether the report was in that state.
    ///
    /// - Throws: `.busy` if another process is working on it.
    private func remove(_ uuid: Epitaph.ID, from state: ReportState) throws(DatabaseError) -> Bool {
        guard let lock = try lockToRemove(uuid, in: state) else { return false }
        defer { lock.release() }
        let results = removeLocked([(uuid, state)])
        return try results[0].get()
    }

    /// Removes several reports, each if it is there and, once locked, unchanged. Stops after the
    /// first failure or busy report. Returns for each that was tried whether it was removed.
    func remove(_ candidates: ArraySlice<PruneCandidate>) -> [Result<Bool, DatabaseError>] {
        var results: [Result<Bool, DatabaseError>] = []
        var locked: [(index: Int, report: (Epitaph.ID, ReportState))] = []
        var locks: [ReportLock] = []
        defer { locks.forEach { $0.release() } }
        for candidate in candidates {
            do throws(DatabaseError) {
                let lock = try lockToRemove(candidate.uuid, in: candidate.state)
                guard let lock else {
                    results.append(.success(false))
                    continue
                }
                locks.append(lock)
                let present = try load(candidate.uuid, candidate.state)
                if present.map({ PruneCandidate($0).isStill(candidate) }) == true {
                    locked.append((results.count, (candidate.uuid, candidate.state)))
                }
                results.append(.success(false))
            } catch {
                results.append(.failure(error))
                break
            }
        }
        for (place, result) in zip(locked, removeLocked(locked.map(\.report))) {
            results[place.index] = result
        }
        return results
    }

    private func lockToRemove(
        _ uuid: Epitaph.ID, in state: ReportState
    ) throws(DatabaseError) -> ReportLock? {
        let directory = directory(of: state)
        let isThere = try attempt(directory.status(of: uuid.minidumpName) != nil)
        return isThere ? try ReportLock.acquire(uuid, in: directory, at: clock.now()) : nil
    }

    /// Removes reports whose locks the caller holds; returns for each whether it was removed.
    ///
    /// The minidumps go first and for good: after an interruption the rest is not a report any
    /// more, and `removeStalePieces` removes it. With the metadata first, a minidump left by a
    /// power failure would be a report again. After a failure no further minidump is removed.
    private func removeLocked(
        _ reports: [(Epitaph.ID, ReportState)]
    ) -> [Result<Bool, DatabaseError>] {
        var results: [Result<Bool, DatabaseError>] = []
        for (uuid, state) in reports {
            let result = Result { () throws(DatabaseError) in
                try attempt(directory(of: state).remove(uuid.minidumpName))
            }
            results.append(result)
            guard case .success = result else { break }
        }
        func goOn(_ body: (Epitaph.ID, ReportState) throws(DatabaseError) -> Void) {
            for (index, (uuid, state)) in zip(results.indices, reports) {
                guard case .success(true) = results[index] else { continue }
                do throws(DatabaseError) {
                    try body(uuid, state)
                } catch {
                    results[index] = .failure(error)
                }
            }
        }
        let states = Set(reports.map(\.1))
        let areSafe = Result { () throws(DatabaseError) in try synchronize(states) }
        goOn { (_, _) throws(DatabaseError) in try areSafe.get() }
        goOn { (uuid, state) throws(DatabaseError) in try removeRest(of: uuid, state) }
        let isDone = Result { () throws(DatabaseError) in
            try synchronize(Set(ReportState.allCases))
        }
        goOn { (_, _) throws(DatabaseError) in try isDone.get() }
        results += repeatElement(.success(false), count: reports.count - results.count)
        return results
    }

    private func synchronize(_ states: Set<ReportState>) throws(DatabaseError) {
        try attempt { () throws(SystemError) in
            for state in states { try directory(of: state).synchronize() }
        }
    }

    private func removeRest(of uuid: Epitaph.ID, _ state: ReportState) throws(DatabaseError) {
        try removeMetadata(of: uuid, in: directory(of: state))
        // An interrupted move may have left files in the other directory, too.
        let other = directory(of: state == .pending ? .completed : .pending)
        let isLone = try attempt(other.status(of: uuid.minidumpName) == nil)
        guard isLone else { return }
        try removeMetadata(of: uuid, in: other)
        try removeBelongings(of: uuid)
    }

    func removeMetadata(of uuid: Epitaph.ID, in directory: Directory) throws(DatabaseError) {
        try attempt { () throws(SystemError) in
            guard try directory.status(of: uuid.metadataName)?.kind != .directory else { return }
            try directory.remove(uuid.metadataName)
        }
    }
}

extension PruneCandidate {
    /// Called with the lock held. The size may differ if the attachments could not be examined.
    fileprivate func isStill(_ other: PruneCandidate) -> Bool {
        uuid == other.uuid && state == other.state && creationTime == other.creationTime
            && isUploaded == other.isUploaded && isUploadRequested == other.isUploadRequested
    }
}
