// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// One try to send a report, already counted in its metadata. It holds the report's lock until its
/// outcome is recorded; without an outcome it counts as a failure.
package final class UploadAttempt: Sendable {
    package let report: Report
    package let deliveryState: DeliveryState
    private let database: ReportDatabase
    private let lock: ReportLock
    private let earlier: ReportMetadata

    init(
        report: Report, earlier: ReportMetadata, deliveryState: DeliveryState,
        database: ReportDatabase, lock: ReportLock
    ) {
        self.report = report
        self.earlier = earlier
        self.deliveryState = deliveryState
        self.database = database
        self.lock = lock
    }

    /// The server accepted the report: completes it, so that it is never sent again.
    ///
    /// If the disk prevents that, the success is stored in one of two other places, and the next
    /// `beginUpload` files the report. If these fail, too, the lock is kept: call this again with
    /// the same attempt. Until then no other process sends the report.
    ///
    /// - Throws: `.notFound` if the outcome was recorded before, or the report has been removed.
    package func recordSuccess(serverID: String) throws(DatabaseError) {
        guard lock.isHeld else { throw .notFound(report.uuid.fileStem) }
        do throws(DatabaseError) {
            try database.completeUploaded(report.uuid, serverID: serverID)
            forgetDelivery()
        } catch {
            var isSafe = database.isKnownAsUploaded(report.uuid)
            if case .notFound = error { isSafe = true }
            if isSafe || database.markUploaded(report.uuid, deliveryState, serverID: serverID) {
                lock.release()
            }
            throw error
        }
    }

    package var isOpen: Bool { lock.isHeld }

    package func recordFailure() {
        lock.release()
    }

    /// Nothing was sent: the attempt does not count.
    package func withdraw() throws(DatabaseError) {
        guard lock.isHeld else { throw .notFound(report.uuid.fileStem) }
        if let failure = database.withdraw([self])[0] { throw failure }
    }

    func uncount(_ metadata: inout ReportMetadata) {
        metadata.uploadAttempts = earlier.uploadAttempts
        metadata.lastUploadAttemptSeconds = earlier.lastUploadAttemptSeconds
    }

    func forgetDelivery() {
        // If the file stays, the metadata says the same.
        try? database.remove(.deliveryState, of: report.uuid)
        lock.release()
    }

    /// The report did not arrive and stays pending. If `state` cannot be stored, this throws; the
    /// lock is released anyway.
    ///
    /// - Parameter isRequestSettled: whether a person's request for this report has had its try.
    package func recordFailure(
        _ state: DeliveryState, isRequestSettled: Bool = false
    ) throws(DatabaseError) {
        guard lock.isHeld else { throw .notFound(report.uuid.fileStem) }
        defer { lock.release() }
        try database.write(state, of: report.uuid)
        guard isRequestSettled, report.isUploadRequested else { return }
        try database.change(report.uuid, from: .pending, to: .pending) {
            $0.isUploadRequested = false
        }
    }
}

extension ReportDatabase {
    /// Locks a pending report and records the attempt in the report and the settings before
    /// anything is sent.
    ///
    /// - Throws: `.busy` if another process is sending it; `.notFound` if it is not pending;
    ///   `.alreadyUploaded` if the server has it, and it is now filed as uploaded.
    package func beginUpload(of uuid: Epitaph.ID) throws(DatabaseError) -> UploadAttempt {
        try beginUploads(of: [uuid])[0].get()
    }

    struct UploadStart {
        let uuid: Epitaph.ID
        let lock: ReportLock
        let earlier: ReportMetadata
        let deliveryState: DeliveryState
    }

    func startUpload(of uuid: Epitaph.ID, at now: Timestamp) throws(DatabaseError) -> UploadStart {
        guard try load(uuid, .pending) != nil else { throw .notFound(uuid.fileStem) }
        let lock = try ReportLock.acquire(uuid, in: pending, at: now)
        do throws(DatabaseError) {
            try settleInterruptedMove(of: uuid, .pending)
            let state = try deliveryState(of: uuid)
            guard let earlier = try metadataToChange(of: uuid, in: pending) else {
                throw .notFound(uuid.fileStem)
            }
            try settleUnfiledSuccess(of: uuid, earlier, state)
            return UploadStart(uuid: uuid, lock: lock, earlier: earlier, deliveryState: state)
        } catch {
            // The report was just filed, so the note is not needed any more.
            if case .alreadyUploaded = error { try? remove(.deliveryState, of: uuid) }
            lock.release()
            throw error
        }
    }

    func counted(_ start: UploadStart) throws(DatabaseError) -> UploadAttempt {
        guard let report = try load(start.uuid, .pending) else {
            throw .notFound(start.uuid.fileStem)
        }
        return UploadAttempt(
            report: report, earlier: start.earlier, deliveryState: start.deliveryState,
            database: self, lock: start.lock)
    }

    /// Whether the report is filed as uploaded, even if a sync failed.
    fileprivate func isKnownAsUploaded(_ uuid: Epitaph.ID) -> Bool {
        guard let filed = try? load(uuid, .completed) else { return false }
        return filed.isUploaded
    }

    private func settleUnfiledSuccess(
        of uuid: Epitaph.ID, _ metadata: ReportMetadata, _ state: DeliveryState
    ) throws(DatabaseError) {
        guard let serverID = state.acceptedServerID ?? (metadata.isUploaded ? "" : nil) else {
            return
        }
        try completeUploaded(uuid, serverID: serverID)
        throw .alreadyUploaded(uuid)
    }

    fileprivate func completeUploaded(
        _ uuid: Epitaph.ID, serverID: String
    ) throws(DatabaseError) {
        try change(uuid, from: .pending, to: .completed) {
            $0.becomeUploaded(serverID: serverID)
        }
    }

    /// Stores that the server has a report that cannot be filed: in its delivery state or, on a
    /// full disk, as one bit of its metadata, in place. Returns whether that was possible.
    fileprivate func markUploaded(
        _ uuid: Epitaph.ID, _ state: DeliveryState, serverID: String
    ) -> Bool {
        var state = state
        state.acceptedServerID = Report.plainServerID(serverID)
        if (try? write(state, of: uuid)) != nil { return true }
        do throws(SystemError) {
            let file = try pending.openForWriting(uuid.metadataName, creating: false)
            let old = try file.readBytes(count: 1, at: ReportMetadata.attributesOffset)
            guard let bits = old.first else { return false }
            try file.writeAll(
                [bits | ReportMetadata.uploadedBit], at: ReportMetadata.attributesOffset)
            try file.synchronize()
            return true
        } catch {
            return false
        }
    }
}
