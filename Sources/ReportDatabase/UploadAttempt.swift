// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// One try to send a report, already counted in its metadata. It holds the report's lock until its
/// outcome is recorded; dropped without one, it was a failure.
public final class UploadAttempt: Sendable {
    /// As it stands with this attempt counted.
    public let report: Report
    /// As it was when the attempt began.
    public let deliveryState: DeliveryState
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

    /// The server took it: the report is completed and never sent again.
    ///
    /// When the disk does not let the report be filed, the success itself is still written down in
    /// one of two other places, and the next `beginUpload` files it. Only when none can be written
    /// is the lock kept: try again with the same attempt, and until then nobody else sends it.
    ///
    /// - Parameter serverID: what the server calls it; kept as `Report.plainServerID` makes it.
    /// - Throws: `.notFound` when the outcome was recorded before, or the report has been removed.
    public func recordSuccess(serverID: String) throws(DatabaseError) {
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

    /// Whether the lock is still held, so that an outcome can be recorded.
    public var isOpen: Bool { lock.isHeld }

    /// It did not arrive; the report stays pending.
    public func recordFailure() {
        lock.release()
    }

    /// Nothing was sent after all: the attempt does not count.
    public func withdraw() throws(DatabaseError) {
        guard lock.isHeld else { throw .notFound(report.uuid.fileStem) }
        if let failure = database.withdraw([self])[0] { throw failure }
    }

    /// Takes the attempt back out of the metadata.
    func uncount(_ metadata: inout ReportMetadata) {
        metadata.uploadAttempts = earlier.uploadAttempts
        metadata.lastUploadAttemptSeconds = earlier.lastUploadAttemptSeconds
    }

    /// The report is filed as uploaded, and this attempt over.
    func forgetDelivery() {
        // What is left behind says nothing that the metadata does not.
        try? database.remove(.deliveryState, of: report.uuid)
        lock.release()
    }

    /// It did not arrive, and this is what is known now; the report stays pending.
    ///
    /// - Parameters:
    ///   - state: what is kept about the report's delivery from now on.
    ///   - isRequestSettled: a person's request for this report has had its try.
    /// - Throws: when it could not be written down; the lock is given back all the same.
    public func recordFailure(
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
    /// Begins to send a pending report: takes its lock and records the attempt, in the report and
    /// the settings, before anything is sent.
    ///
    /// - Throws: `.busy` when another sends it; `.notFound` when it is not pending;
    ///   `.alreadyUploaded` when the server has it: it has been filed as such now.
    public func beginUpload(of uuid: UUID) throws(DatabaseError) -> UploadAttempt {
        try beginUploads(of: [uuid])[0].get()
    }

    /// A report that is locked and whose attempt is to be counted.
    struct UploadStart {
        let uuid: UUID
        let lock: ReportLock
        let earlier: ReportMetadata
        let deliveryState: DeliveryState
    }

    func startUpload(of uuid: UUID, at now: Date) throws(DatabaseError) -> UploadStart {
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
            // Filed just now, it needs no note of it any more.
            if case .alreadyUploaded = error { try? remove(.deliveryState, of: uuid) }
            lock.release()
            throw error
        }
    }

    /// The attempt that is counted now.
    func counted(_ start: UploadStart) throws(DatabaseError) -> UploadAttempt {
        guard let report = try load(start.uuid, .pending) else {
            throw .notFound(start.uuid.fileStem)
        }
        return UploadAttempt(
            report: report, earlier: start.earlier, deliveryState: start.deliveryState,
            database: self, lock: start.lock)
    }

    /// Whether the report has arrived where it belongs, if not with every sync.
    fileprivate func isKnownAsUploaded(_ uuid: UUID) -> Bool {
        guard let filed = try? load(uuid, .completed) else { return false }
        return filed.isUploaded
    }

    /// Files a report that an earlier attempt knows the server to have.
    private func settleUnfiledSuccess(
        of uuid: UUID, _ metadata: ReportMetadata, _ state: DeliveryState
    ) throws(DatabaseError) {
        guard let serverID = state.acceptedServerID ?? (metadata.isUploaded ? "" : nil) else {
            return
        }
        try completeUploaded(uuid, serverID: serverID)
        throw .alreadyUploaded(uuid)
    }

    fileprivate func completeUploaded(
        _ uuid: UUID, serverID: String
    ) throws(DatabaseError) {
        try change(uuid, from: .pending, to: .completed) {
            $0.becomeUploaded(serverID: serverID)
        }
    }

    /// Writes down that the server has a report which cannot be filed: into its delivery state, or,
    /// on a full disk, as one bit of its metadata, in place.
    ///
    /// - Returns: whether it could be written down.
    fileprivate func markUploaded(
        _ uuid: UUID, _ state: DeliveryState, serverID: String
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
