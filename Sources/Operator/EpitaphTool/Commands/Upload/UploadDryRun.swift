// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphMinidump
import EpitaphSystem
import EpitaphUpload
import EpitaphValues
import Synchronization

/// A pass with the same rules and requests that sends and writes nothing.
struct UploadDryRun {
    let setup: UploadSetup
    let database: ReportDatabase
    let reporting: UploadReporting

    func run() throws(CommandFailure) {
        var rules = setup.rules
        rules.limits.reportsPerMin = 0
        rules.limits.retryBehaviour = .none
        rules.patienceSeconds = 0
        let look = RequestLook()
        var callbacks = UploadCallbacks()
        callbacks.delegate = look
        let scrubbing = setup.scrubbing
        callbacks.transform = { report throws(TransportError) in
            if scrubbing != ScrubbingRules() {
                look.note(try report.scrub(by: scrubbing))
            }
            look.note(report)
        }
        do {
            var uploader = ReportUploader(
                queue: UnchangedQueue(database, setup), destination: setup.destination,
                transport: look, rules: rules, callbacks: callbacks,
                clock: SystemStoppableClock(stopSignal: try StopSignal()))
            let reporting = reporting
            let summary = try uploader.uploadPending(report: { report, result in
                reporting.announce(report, result)
                if result.isSent {
                    reporting.announce(look.preview, of: report.uuid)
                }
            })
            reporting.announce(summary)
            reporting.finish()
        } catch {
            throw CommandFailure(.incomplete, "\(error)")
        }
    }
}

struct RequestPreview {
    var server = ""
    var bodyBytes = 0
    var annotations: [String: String] = [:]
    var attachments: [(name: String, sizeBytes: Int)] = []
    var leftOut: [String] = []
    var scrubbed: (sentence: String, names: [String])?
}

private final class RequestLook: Transport, UploadDelegate {
    private let seen = Mutex(RequestPreview())

    var preview: RequestPreview { seen.withLock { $0 } }

    func shouldProcess(_ report: PendingReport) -> Bool {
        seen.withLock { $0 = RequestPreview() }
        return true
    }

    func note(_ report: OutgoingReport) {
        seen.withLock { preview in
            preview.annotations = report.annotations
            preview.attachments = report.attachments.map { ($0.name, $0.content.sizeBytes ?? 0) }
        }
    }

    func note(_ scrubbed: (summary: ScrubbingSummary, removedNames: [String])) {
        seen.withLock { $0.scrubbed = (scrubbed.summary.sentence, scrubbed.removedNames) }
    }

    func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport) {
        seen.withLock { $0.leftOut.append("\(problem)") }
    }

    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        seen.withLock { preview in
            preview.server = request.url.server
            preview.bodyBytes += request.body.contentLength
        }
        // For object stores, which answer with an ETag.
        return UploadResponse(status: 200, headers: AnswerHeaders([("ETag", "\"none\"")]))
    }
}

private struct UnchangedQueue: UploadQueue {
    private let queue: DatabaseQueue
    private let database: ReportDatabase
    private let setup: UploadSetup

    init(_ database: ReportDatabase, _ setup: UploadSetup) {
        queue = DatabaseQueue(database)
        self.database = database
        self.setup = setup
    }

    func settings() throws(DatabaseError) -> UploadSettings {
        let settings = try database.storedSettings()
        return UploadSettings(
            uploadsEnabled: settings?.uploadsEnabled == true || setup.sendsRegardless,
            clientID: settings?.clientID ?? Epitaph.ID())
    }

    func pendingReports() throws(DatabaseError) -> PendingReports { try queue.pendingReports() }

    /// Nothing is sent, so nothing waits for the rate.
    func attemptTimes(since time: Timestamp) -> [Timestamp] { [] }

    func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor {
        try queue.minidump(of: report)
    }

    func signature(of report: PendingReport) -> KeptSignature? { queue.signature(of: report) }

    func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment] {
        try queue.attachments(of: report) + setup.attachments
    }

    func beginAttempt(on report: PendingReport) -> AttemptStart<Void> {
        .begun((), report.state)
    }

    func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp? {
        try queue.pauseEnd(of: server)
    }

    func standing(of destination: String) throws(DatabaseError) -> DestinationStanding? {
        try queue.standing(of: destination)
    }

    func complete(_ attempt: Void, serverID: String) -> Filing { .filed }
    func leave(_ attempt: Void, _ state: DeliveryState, isRequestSettled: Bool) {}
    func withdraw(_ attempt: Void) {}
    func record(_ answer: ConfirmationAnswer, of report: PendingReport) {}
    func pause(_ server: String, until end: Timestamp) {}
    func record(_ standing: DestinationStanding, of destination: String) {}
}
