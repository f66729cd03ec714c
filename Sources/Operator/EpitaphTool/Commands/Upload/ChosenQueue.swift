// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

struct ChosenQueue: UploadQueue {
    private let queue: DatabaseQueue
    private let setup: UploadSetup
    private let progress: ProgressBar

    init(_ database: ReportDatabase, _ setup: UploadSetup, _ progress: ProgressBar) {
        queue = DatabaseQueue(database)
        self.setup = setup
        self.progress = progress
    }

    func settings() throws(DatabaseError) -> UploadSettings {
        var settings = try queue.settings()
        settings.uploadsEnabled = settings.uploadsEnabled || setup.sendsRegardless
        return settings
    }

    func pendingReports() throws(DatabaseError) -> PendingReports {
        let pending = try queue.pendingReports()
        progress.update(done: 0, of: pending.reports.count)
        return pending
    }

    func attemptTimes(since time: Timestamp) -> [Timestamp] { queue.attemptTimes(since: time) }

    func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor {
        try queue.minidump(of: report)
    }

    func signature(of report: PendingReport) -> KeptSignature? { queue.signature(of: report) }

    func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment] {
        try queue.attachments(of: report) + setup.attachments
    }

    func beginAttempt(
        on report: PendingReport
    ) throws(DatabaseError) -> AttemptStart<UploadAttempt> {
        try queue.beginAttempt(on: report)
    }

    func beginAttempts(
        on reports: [PendingReport]
    ) -> [Result<AttemptStart<UploadAttempt>, DatabaseError>] {
        queue.beginAttempts(on: reports)
    }

    func attemptsAhead(
        on reports: [PendingReport]
    ) -> () -> [Result<AttemptStart<UploadAttempt>, DatabaseError>] {
        queue.attemptsAhead(on: reports)
    }

    func complete(_ successes: [(attempt: UploadAttempt, serverID: String)]) -> [Filing] {
        successes.forEach { _ in progress.advance() }
        return queue.complete(successes)
    }

    func beginCompleting(
        _ successes: [(attempt: UploadAttempt, serverID: String)]
    ) -> () -> [Filing] {
        successes.forEach { _ in progress.advance() }
        return queue.beginCompleting(successes)
    }

    func withdraw(_ attempts: [UploadAttempt]) -> [DatabaseError?] {
        queue.withdraw(attempts)
    }

    func complete(_ attempt: UploadAttempt, serverID: String) -> Filing {
        progress.advance()
        return queue.complete(attempt, serverID: serverID)
    }

    func leave(
        _ attempt: UploadAttempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(DatabaseError) {
        try queue.leave(attempt, state, isRequestSettled: isRequestSettled)
    }

    func withdraw(_ attempt: UploadAttempt) throws(DatabaseError) {
        try queue.withdraw(attempt)
    }

    func record(
        _ answer: ConfirmationAnswer, of report: PendingReport
    ) throws(DatabaseError) {
        try queue.record(answer, of: report)
    }

    func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp? {
        try queue.pauseEnd(of: server)
    }

    func pause(_ server: String, until end: Timestamp) throws(DatabaseError) {
        try queue.pause(server, until: end)
    }

    func standing(of destination: String) throws(DatabaseError) -> DestinationStanding? {
        try queue.standing(of: destination)
    }

    func record(
        _ standing: DestinationStanding, of destination: String
    ) throws(DatabaseError) {
        try queue.record(standing, of: destination)
    }
}
