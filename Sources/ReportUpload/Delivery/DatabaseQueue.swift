// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportDatabase

/// The pending reports of a report database.
public struct DatabaseQueue: UploadQueue, Sendable {
    let database: ReportDatabase

    public init(_ database: ReportDatabase) {
        self.database = database
    }

    public func settings() throws(QueueError) -> UploadSettings {
        let settings = try asked { () throws(DatabaseError) in try database.settings() }
        return UploadSettings(
            uploadsEnabled: settings.uploadsEnabled, clientID: settings.clientID)
    }

    public func enableUploads() throws(QueueError) {
        _ = try asked { () throws(DatabaseError) in
            try database.updateSettings { $0.uploadsEnabled = true }
        }
    }

    public func pendingReports() throws(QueueError) -> PendingReports {
        let list = try asked { () throws(DatabaseError) in try database.reports(.pending) }
        var pending = PendingReports(problems: list.problems.map(\.sentence))
        for report in list.reports {
            do throws(DatabaseError) {
                pending.reports.append(
                    PendingReport(report, try database.deliveryState(of: report.uuid)))
            } catch {
                pending.problems.append(error.description)
            }
        }
        return pending
    }

    public func beginAttempt(
        on report: PendingReport
    ) throws(QueueError) -> AttemptStart<UploadAttempt> {
        try beginAttempts(on: [report])[0].get()
    }

    public func complete(_ attempt: UploadAttempt, serverID: String) -> Filing {
        complete([(attempt: attempt, serverID: serverID)])[0]
    }

    public func leave(
        _ attempt: UploadAttempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(QueueError) {
        try asked { () throws(DatabaseError) in
            try attempt.recordFailure(state, isRequestSettled: isRequestSettled)
        }
    }

    public func withdraw(_ attempt: UploadAttempt) throws(QueueError) {
        try asked { () throws(DatabaseError) in try attempt.withdraw() }
    }

    public func record(
        _ consent: DeliveryState.Consent, of report: PendingReport
    ) throws(QueueError) {
        try asked { () throws(DatabaseError) in
            try database.recordConsent(consent, of: report.uuid)
        }
    }

    public func pauseEnd(of server: String) throws(QueueError) -> Date? {
        try asked { () throws(DatabaseError) in try database.pauseEnd(of: server) }
    }

    public func pause(_ server: String, until end: Date) throws(QueueError) {
        try asked { () throws(DatabaseError) in try database.pause(server, until: end) }
    }

    public func standing(of destination: String) throws(QueueError) -> DestinationStanding? {
        try asked { () throws(DatabaseError) in
            try database.standing(ofDestination: destination)
        }
    }

    public func record(
        _ standing: DestinationStanding, of destination: String
    ) throws(QueueError) {
        try asked { () throws(DatabaseError) in
            try database.record(standing, ofDestination: destination)
        }
    }

    func asked<Result>(
        _ question: () throws(DatabaseError) -> Result
    ) throws(QueueError) -> Result {
        do throws(DatabaseError) {
            return try question()
        } catch {
            throw QueueError(error.description)
        }
    }
}

extension PendingReport {
    fileprivate init(_ report: Report, _ state: DeliveryState) {
        var state = state
        // Where only the metadata could be told that the server has it.
        if report.isUploaded, state.acceptedServerID == nil { state.acceptedServerID = "" }
        self.init(
            uuid: report.uuid, minidumpPath: report.path,
            isExplicitlyRequested: report.isUploadRequested, attempts: report.uploadAttempts,
            lastAttempt: report.lastUploadAttemptTime, creationTime: report.creationTime,
            state: state)
    }
}
