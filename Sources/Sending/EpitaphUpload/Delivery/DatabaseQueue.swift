// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

package struct DatabaseQueue: UploadQueue, Sendable {
    let database: ReportDatabase

    package init(_ database: ReportDatabase) {
        self.database = database
    }

    package func settings() throws(DatabaseError) -> UploadSettings {
        let settings = try database.settings()
        return UploadSettings(
            uploadsEnabled: settings.uploadsEnabled, clientID: settings.clientID)
    }

    package func pendingReports() throws(DatabaseError) -> PendingReports {
        let list = try database.reports(.pending)
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

    package func attemptTimes(since time: Timestamp) -> [Timestamp] {
        // Usually there was none: then no report is read.
        guard let last = try? database.settings().lastUploadAttemptTime, last >= time,
            let list = try? database.allReports()
        else { return [] }
        return list.reports.compactMap(\.lastUploadAttemptTime).filter { $0 >= time }
    }

    package func beginAttempt(
        on report: PendingReport
    ) throws(DatabaseError) -> AttemptStart<UploadAttempt> {
        try beginAttempts(on: [report])[0].get()
    }

    package func complete(_ attempt: UploadAttempt, serverID: String) -> Filing {
        complete([(attempt: attempt, serverID: serverID)])[0]
    }

    package func leave(
        _ attempt: UploadAttempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(DatabaseError) {
        try attempt.recordFailure(state, isRequestSettled: isRequestSettled)
    }

    package func withdraw(_ attempt: UploadAttempt) throws(DatabaseError) {
        try attempt.withdraw()
    }

    package func record(
        _ answer: ConfirmationAnswer, of report: PendingReport
    ) throws(DatabaseError) {
        try database.record(answer, of: report.uuid)
    }

    package func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp? {
        try database.pauseEnd(of: server)
    }

    package func pause(_ server: String, until end: Timestamp) throws(DatabaseError) {
        try database.pause(server, until: end)
    }

    package func standing(of destination: String) throws(DatabaseError) -> DestinationStanding? {
        try database.standing(ofDestination: destination)
    }

    package func record(
        _ standing: DestinationStanding, of destination: String
    ) throws(DatabaseError) {
        try database.record(standing, ofDestination: destination)
    }
}

extension PendingReport {
    fileprivate init(_ report: Report, _ state: DeliveryState) {
        var state = state
        // Only the metadata says that the server has it.
        if report.isUploaded, state.acceptedServerID == nil { state.acceptedServerID = "" }
        self.init(
            uuid: report.uuid, minidumpPath: report.path,
            isExplicitlyRequested: report.isUploadRequested, attempts: report.uploadAttempts,
            lastAttempt: report.lastUploadAttemptTime, creationTime: report.creationTime,
            state: state)
    }
}
