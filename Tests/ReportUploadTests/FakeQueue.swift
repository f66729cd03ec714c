// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReportUpload

/// A queue in memory that writes down what it is told.
final class FakeQueue: UploadQueue {
    typealias Attempt = UUID

    var uploadsEnabled = true
    var reports: [PendingReport] = []
    var problems: [String] = []
    var taken: Set<UUID> = []
    var failingCalls: Set<String> = []
    private(set) var log: [String] = []

    func settings() throws(QueueError) -> UploadSettings {
        try fail("settings")
        return UploadSettings(uploadsEnabled: uploadsEnabled, clientID: UUID())
    }

    func pendingReports() throws(QueueError) -> PendingReports {
        try fail("list")
        return PendingReports(reports, problems: problems)
    }

    func beginAttempt(on report: PendingReport) throws(QueueError) -> UUID? {
        try fail("begin")
        guard !taken.contains(report.uuid) else { return nil }
        log.append("begin")
        return report.uuid
    }

    func complete(_ attempt: UUID, serverID: String) throws(QueueError) {
        try fail("complete")
        log.append("complete \(serverID)")
    }

    func leave(_ attempt: UUID) {
        log.append("leave")
    }

    func note(_ line: String) { log.append(line) }

    private func fail(_ call: String) throws(QueueError) {
        if failingCalls.contains(call) { throw QueueError("/db: disk full (\(call))") }
    }
}

/// Answers from a list, one per request; the last one again when it is used up.
final class FakeTransport: Transport {
    var answers: [Result<UploadResponse, TransportError>]
    private(set) var requests: [UploadRequest] = []
    var onSend: () -> Void = {}

    init(_ answers: Result<UploadResponse, TransportError>...) {
        self.answers = answers
    }

    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        requests.append(request)
        onSend()
        return try (answers.count > 1 ? answers.removeFirst() : answers[0]).get()
    }
}
