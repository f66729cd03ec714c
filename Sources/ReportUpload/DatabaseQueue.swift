// SPDX-License-Identifier: Apache-2.0

import ReportDatabase

/// The pending reports of a report database.
public struct DatabaseQueue: UploadQueue {
    private let database: ReportDatabase

    public init(_ database: ReportDatabase) {
        self.database = database
    }

    public func settings() throws(QueueError) -> UploadSettings {
        let settings = try asked { () throws(DatabaseError) in try database.settings() }
        return UploadSettings(
            uploadsEnabled: settings.uploadsEnabled, clientID: settings.clientID)
    }

    public func pendingReports() throws(QueueError) -> PendingReports {
        let list = try asked { () throws(DatabaseError) in try database.reports(.pending) }
        return PendingReports(
            list.reports.map { report in
                PendingReport(
                    uuid: report.uuid, minidumpPath: report.path,
                    isExplicitlyRequested: report.isUploadRequested)
            },
            problems: list.problems.map(\.sentence))
    }

    public func beginAttempt(on report: PendingReport) throws(QueueError) -> UploadAttempt? {
        do throws(DatabaseError) {
            return try database.beginUpload(of: report.uuid)
        } catch {
            switch error {
            case .busy, .notFound, .alreadyUploaded: return nil
            default: throw QueueError(error.description)
            }
        }
    }

    public func complete(_ attempt: UploadAttempt, serverID: String) throws(QueueError) {
        try asked { () throws(DatabaseError) in try attempt.recordSuccess(serverID: serverID) }
    }

    public func leave(_ attempt: UploadAttempt) {
        attempt.recordFailure()
    }

    private func asked<Result>(
        _ question: () throws(DatabaseError) -> Result
    ) throws(QueueError) -> Result {
        do throws(DatabaseError) {
            return try question()
        } catch {
            throw QueueError(error.description)
        }
    }
}

extension ReportUploader where Queue == DatabaseQueue {
    /// Sends the pending reports of `database`.
    public init(
        _ database: ReportDatabase, to destination: UploadDestination, by transport: any Transport
    ) {
        self.init(
            queue: DatabaseQueue(database), destination: destination, transport: transport,
            describe: { ReportContents(minidumpAt: $0.minidumpPath) })
    }
}
