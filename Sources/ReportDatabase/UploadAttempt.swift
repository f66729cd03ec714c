// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// One try to send a report, already counted in its metadata. It holds the report's lock until its
/// outcome is recorded; dropped without one, it was a failure.
public final class UploadAttempt: Sendable {
    /// As it stands with this attempt counted.
    public let report: Report
    private let database: ReportDatabase
    private let lock: ReportLock

    fileprivate init(report: Report, database: ReportDatabase, lock: ReportLock) {
        self.report = report
        self.database = database
        self.lock = lock
    }

    /// The server took it: the report is completed and never sent again.
    ///
    /// - Parameter serverID: what the server calls it.
    /// - Throws: `.notFound` when the outcome was recorded before, or the report has been removed.
    public func recordSuccess(serverID: String) throws(DatabaseError) {
        guard lock.isHeld else { throw .notFound(report.uuid.fileStem) }
        defer { lock.release() }
        try database.change(report.uuid, from: .pending, to: .completed, lockOwner: lock) {
            $0.isUploaded = true
            $0.isUploadRequested = false
            $0.serverID = serverID
        }
    }

    /// It did not arrive; the report stays pending.
    public func recordFailure() {
        lock.release()
    }
}

extension ReportDatabase {
    /// Begins to send a pending report: takes its lock and records the attempt, in the report and
    /// the settings, before anything is sent.
    ///
    /// - Throws: `.busy` when another sends it; `.notFound` when it is not pending.
    public func beginUpload(of uuid: UUID) throws(DatabaseError) -> UploadAttempt {
        guard try load(uuid, .pending) != nil else { throw .notFound(uuid.fileStem) }
        let now = clock.now()
        let lock = try ReportLock.acquire(uuid, in: pending, at: now)
        do throws(DatabaseError) {
            try settleInterruptedMove(of: uuid, .pending)
            try change(uuid, from: .pending, to: .pending, lockOwner: lock) {
                $0.uploadAttempts = $0.uploadAttempts == .max ? .max : $0.uploadAttempts + 1
                $0.lastUploadAttemptSeconds = now.wholeSeconds
            }
            try updateSettings { $0.lastUploadAttemptTime = now }
            guard let report = try load(uuid, .pending) else { throw .notFound(uuid.fileStem) }
            return UploadAttempt(report: report, database: self, lock: lock)
        } catch {
            lock.release()
            throw error
        }
    }
}
