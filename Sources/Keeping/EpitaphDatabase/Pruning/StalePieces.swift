// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Leftovers of deaths and power failures: files of unfinished reports, and pieces of reports that
/// are gone.
///
/// In `pending/` and `completed/` a piece is stale if its report's lock could be taken; elsewhere,
/// where Crashpad's tools work without locks, if it has not changed for a day. Files with other
/// names always stay.
extension ReportDatabase {
    /// Longer than writing one report takes; as for locks that prove nothing.
    static let staleSeconds = ReportLock.unprovenGraceSeconds

    func removeStalePieces(_ mode: PruneMode, into summary: inout PruneSummary) {
        for state in ReportState.allCases {
            forEachName(in: directory(of: state), &summary) {
                (name) throws(DatabaseError) in
                try removeIfStale(name, in: state, mode)
            }
        }
        forEachName(in: newReports, &summary) { (name) throws(DatabaseError) in
            try removeIfStaleNew(name, mode)
        }
        for belonging in Belonging.allCases {
            guard
                let directory = try? openDirectory(belonging.directoryName, ifMissing: .fail)
            else { continue }
            forEachName(in: directory, &summary) { (name) throws(DatabaseError) in
                try removeIfStale(name, belonging, in: directory, mode)
            }
        }
    }

    private func forEachName(
        in directory: Directory, _ summary: inout PruneSummary,
        _ removeIfStale: (String) throws(DatabaseError) -> Bool
    ) {
        do throws(DatabaseError) {
            let names = try attempt(directory.list().names)
            for name in names.sorted() {
                do throws(DatabaseError) {
                    guard try removeIfStale(name) else { continue }
                    summary.stalePaths.append(directory.path(of: name))
                } catch .busy {
                    continue
                } catch {
                    summary.problems.append(error.description)
                }
            }
            try attempt(directory.synchronize())
        } catch {
            summary.problems.append(error.description)
        }
    }

    /// Removes locks of dead owners: their reports would count as in use for ever.
    func removeStaleLocks(into summary: inout PruneSummary) {
        for state in ReportState.allCases {
            let directory = directory(of: state)
            forEachName(in: directory, &summary) { (name) throws(DatabaseError) in
                guard name.hasSuffix(".lock"), Epitaph.ID(fileStem: name.dropLast(5)) != nil else {
                    return false
                }
                return try attempt(
                    try ReportLock.removeIfAbandoned(name, in: directory, at: clock.now()))
            }
        }
    }

    /// Removes lone metadata and locks that are not in use, so that they are reported only once.
    package func settleLeftovers() {
        for state in ReportState.allCases {
            let directory = directory(of: state)
            guard let names = try? directory.list().names else { continue }
            let all = Set(names)
            for name in names where !all.contains(name.prefix(36) + ".dmp") {
                if name.hasSuffix(".meta") {
                    _ = try? removeIfStale(name, in: state, .remove)
                } else if name.hasSuffix(".lock"), Epitaph.ID(fileStem: name.dropLast(5)) != nil {
                    _ = try? ReportLock.removeIfAbandoned(name, in: directory, at: clock.now())
                }
            }
        }
    }

    private func removeIfStale(
        _ name: String, in state: ReportState, _ mode: PruneMode
    ) throws(DatabaseError) -> Bool {
        guard name.hasSuffix(".meta"), let uuid = Epitaph.ID(fileStem: name.dropLast(5)) else {
            return false
        }
        let (here, there) = (directory(of: state), directory(of: state.other))
        guard try !hasMinidump(uuid, in: here) else { return false }
        if mode == .dryRun { return try isStaleWithoutLock(uuid, in: state) }
        // The report is in the other directory: a move; its lock decides whether it is interrupted.
        let moving =
            try hasMinidump(uuid, in: there)
            ? ReportLock.acquire(uuid, in: there, at: clock.now()) : nil
        defer { moving?.release() }
        let lock = try ReportLock.acquire(uuid, in: here, at: clock.now())
        defer { lock.release() }
        guard try !hasMinidump(uuid, in: here) else { return false }
        if moving != nil {
            do throws(DatabaseError) {
                try settleInterruptedMove(of: uuid, state.other)
            } catch .alreadyUploaded {
                return false
            }
        }
        try removeMetadata(of: uuid, in: here)
        return true
    }

    /// Decides without taking locks, for a dry run.
    private func isStaleWithoutLock(
        _ uuid: Epitaph.ID, in state: ReportState
    ) throws(DatabaseError) -> Bool {
        let isLocked = try attempt(directory(of: state).status(of: uuid.lockName) != nil)
        guard !isLocked else { return false }
        return try !hasMinidump(uuid, in: directory(of: state.other))
    }

    private func removeIfStaleNew(
        _ name: String, _ mode: PruneMode
    ) throws(DatabaseError) -> Bool {
        guard Epitaph.ID(fileStem: name.prefix(36)) != nil,
            [".dmp", ".meta", ".lock", ".clock", ".json"].contains(String(name.dropFirst(36))),
            try isOld(name, in: newReports)
        else { return false }
        return try attempt { () throws(SystemError) in
            guard case .regular(let file, _) = try newReports.find(name, for: .reading),
                try file.isFree()
            else { return false }
            defer { file.unlock() }
            if mode == .dryRun { return true }
            return try newReports.remove(name)
        }
    }

    private func removeIfStale(
        _ name: String, _ belonging: Belonging, in directory: Directory, _ mode: PruneMode
    ) throws(DatabaseError) -> Bool {
        guard let uuid = belonging.owner(of: name), try isOld(name, in: directory) else {
            return false
        }
        // In the order in which a report moves, to miss none on its way.
        for place in [newReports, pending, completed, pending] {
            guard try !hasMinidump(uuid, in: place) else { return false }
        }
        guard mode == .remove else { return true }
        if name == belonging.name(of: uuid) {
            try remove(belonging, of: uuid)
        } else {
            _ = try attempt(directory.remove(name))
        }
        return true
    }

    private func hasMinidump(_ uuid: Epitaph.ID, in directory: Directory) throws(DatabaseError)
        -> Bool
    {
        try attempt(directory.status(of: uuid.minidumpName) != nil)
    }

    /// By the absolute distance from now, so that a file dated in the future ages as well.
    private func isOld(_ name: String, in directory: Directory) throws(DatabaseError) -> Bool {
        let status = try attempt(directory.status(of: name))
        guard let status else { return false }
        return abs(clock.now().seconds(since: status.modificationTime)) >= Self.staleSeconds
    }
}

extension ReportState {
    var other: ReportState { self == .pending ? .completed : .pending }
}

extension FileDescriptor {
    /// Takes flock(2); false if a writer holds it. Without locks the age must decide.
    fileprivate func isFree() throws(SystemError) -> Bool {
        let isLocked = try unless(\.isUnsupported, tryLocking(.exclusive))
        return isLocked ?? true
    }
}
