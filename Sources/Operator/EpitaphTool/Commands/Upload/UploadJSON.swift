// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues

extension PrintedJSON {
    init(_ report: PendingReport, _ result: UploadResult, isDryRun: Bool) {
        var word = "failed"
        var serverID: String?
        var status: Int?
        switch result {
        case .sent(let name):
            word = isDryRun ? "would-send" : "sent"
            serverID = name.isEmpty ? nil : name
        case .alreadySent: word = "already-sent"
        case .failed(.refused(let response)), .failed(.tooLarge(let response, _)):
            status = response.status
        case .failed: break
        case .skipped(let reason):
            word = reason.leavesPending ? "left-pending" : "\(UploadCounts.Reason(reason))"
        }
        self.init(
            schema: "upload-result",
            [
                "report": report.uuid.description, "result": word, "text": "\(result)",
                "serverID": serverID, "status": status,
            ])
    }

    init(_ counts: UploadCounts, waitingDumps: Int, isDryRun: Bool) {
        let reasons = Dictionary(
            uniqueKeysWithValues: counts.reasons.map { ("\($0.key)", $0.value) })
        self.init(
            schema: "upload-summary",
            [
                "sent": counts.sent, "failed": counts.failed,
                "leftPending": counts.leftCount, "reasons": reasons,
                "stuck": counts.stuck, "stuckBecause": counts.stuckSentences,
                "problems": counts.problems, "waitingDumps": waitingDumps,
                "isDryRun": isDryRun,
            ])
    }
}
