// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import EpitaphUpload

/// What `upload --json` prints for each report; docs/dump-convert.md lists the members.
struct UploadResultJSON: PrintedJSON {
    var schema = "urn:epitaph:upload-result"
    var schemaVersion = 1
    let report: String
    /// sent, already-sent, failed, left-pending or declined; would-send in a dry run.
    let result: String
    /// A sentence.
    let text: String
    var serverID: String?
    /// HTTP status.
    var status: Int?

    init(_ report: PendingReport, _ result: UploadResult, isDryRun: Bool) {
        self.report = report.uuid.description
        text = "\(result)"
        switch result {
        case .sent(let name):
            self.result = isDryRun ? "would-send" : "sent"
            serverID = name.isEmpty ? nil : name
        case .alreadySent: self.result = "already-sent"
        case .failed(.refused(let response)), .failed(.tooLarge(let response, _)):
            self.result = "failed"
            status = response.status
        case .failed: self.result = "failed"
        case .skipped(.declined): self.result = "declined"
        case .skipped: self.result = "left-pending"
        }
    }
}

/// The last line of `upload --json`.
struct UploadCountsJSON: PrintedJSON {
    var schema = "urn:epitaph:upload-summary"
    var schemaVersion = 1
    let sent: Int
    let failed: Int
    let leftPending: Int
    let reasons: [String: Int]
    /// Reports that will not be sent until a person does something, and why: sentences.
    let stuck: Int
    let stuckBecause: [String]
    let problems: Int
    /// Dumps that have not become reports yet.
    let waitingDumps: Int
    let isDryRun: Bool

    init(_ counts: UploadCounts, waitingDumps: Int, isDryRun: Bool) {
        sent = counts.sent
        failed = counts.failed
        leftPending = counts.reasons.values.reduce(0, +)
        reasons = Dictionary(
            uniqueKeysWithValues: counts.reasons.map { ("\($0.key)", $0.value) })
        stuck = counts.stuck
        stuckBecause = counts.stuckSentences
        problems = counts.problems
        self.waitingDumps = waitingDumps
        self.isDryRun = isDryRun
    }
}
