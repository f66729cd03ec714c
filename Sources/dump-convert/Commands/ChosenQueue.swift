// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportDatabase
import ReportUpload

/// The reports of a database, whose setting a person can overrule for one pass.
struct ChosenQueue: UploadQueue {
    let queue: DatabaseQueue
    let sendsRegardless: Bool
    let progress: ProgressBar

    func settings() throws(QueueError) -> UploadSettings {
        var settings = try queue.settings()
        settings.uploadsEnabled = settings.uploadsEnabled || sendsRegardless
        return settings
    }

    func pendingReports() throws(QueueError) -> PendingReports {
        let pending = try queue.pendingReports()
        progress.update(done: 0, of: pending.reports.count)
        return pending
    }

    func attachments(of report: PendingReport) throws(QueueError) -> [OutgoingAttachment] {
        try queue.attachments(of: report)
    }

    func enableUploads() throws(QueueError) {
        try queue.enableUploads()
    }

    func beginAttempt(
        on report: PendingReport
    ) throws(QueueError) -> AttemptStart<UploadAttempt> {
        try queue.beginAttempt(on: report)
    }

    func complete(_ attempt: UploadAttempt, serverID: String) -> Filing {
        progress.advance()
        return queue.complete(attempt, serverID: serverID)
    }

    func leave(
        _ attempt: UploadAttempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(QueueError) {
        progress.advance()
        try queue.leave(attempt, state, isRequestSettled: isRequestSettled)
    }

    func withdraw(_ attempt: UploadAttempt) throws(QueueError) {
        try queue.withdraw(attempt)
    }

    func record(
        _ consent: DeliveryState.Consent, of report: PendingReport
    ) throws(QueueError) {
        try queue.record(consent, of: report)
    }

    func pauseEnd(of server: String) throws(QueueError) -> Date? {
        try queue.pauseEnd(of: server)
    }

    func pause(_ server: String, until end: Date) throws(QueueError) {
        try queue.pause(server, until: end)
    }
}
