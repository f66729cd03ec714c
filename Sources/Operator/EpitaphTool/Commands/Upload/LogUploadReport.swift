// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphHTTP
import EpitaphLogUpload
import EpitaphValues

final class LogUploadReport: LogUploadDelegate {
    private let output: Output
    private let isJSON: Bool
    private let isWatching: Bool
    private var lastProblem: String?
    /// Failed logs that will be tried again.
    private var failedIDs: Set<Epitaph.ID> = []
    private var toldNames: Set<String> = []

    /// - Parameter isWatching: flush each line; a log to be tried again is not a failure.
    init(_ output: Output, isJSON: Bool, isWatching: Bool) {
        self.output = output
        self.isJSON = isJSON
        self.isWatching = isWatching
    }

    func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?) {
        failedIDs.remove(file.id)
        print(
            "sent", file, ["status": response.status, "leftOver": leftOver],
            text: "\(file.id) \(TerminalText.line(file.name)) \(file.sizeBytes) bytes")
        if let leftOver { output.complain("\(file.name) was sent, but \(leftOver)") }
    }

    func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool) {
        if willRetry { failedIDs.insert(file.id) }
        var status: Int?
        if case .refused(let response) = failure { status = response.status }
        print(
            "failed", file,
            ["reason": "\(failure)", "willRetry": willRetry, "status": status])
        let sentence =
            "\(file.name) was not sent: \(failure)"
            + (willRetry || !isWatching ? "" : "; it is tried again after a restart")
        if willRetry && isWatching { output.note(sentence) } else { output.complain(sentence) }
    }

    func didVanish(_ file: LogFile) {
        print("vanished", file)
        output.note("\(file.name) is gone: it was deleted or compressed before it could be sent")
    }

    func didDiscard(_ file: LogFile, _ reason: DiscardReason) {
        print("discarded", file, ["reason": reason.rawValue])
        output.complain("\(file.name) was deleted unsent: \(reason)")
    }

    /// The result of one of many passes. A persistent problem is printed once.
    func announce(_ summary: LogUploadSummary) {
        for sentence in summary.nameProblems where toldNames.insert(sentence).inserted {
            output.note(sentence)
        }
        if let problem = summary.problem, problem != lastProblem { output.note(problem) }
        lastProblem = summary.problem
    }

    func conclude(_ summary: LogUploadSummary) {
        summary.nameProblems.forEach { output.note($0) }
        if let problem = summary.problem { output.complain(problem) }
        if summary.settlingCount > 0 {
            output.note(
                "\(summary.settlingCount) left for the next run: still being written or compressed")
        }
        // These were printed when they failed.
        let rest = summary.waitingCount + summary.failedCount - failedIDs.count
        if rest > 0 { output.complain("\(rest) more left: nothing can be sent now") }
    }

    /// - Parameter text: the line for people; nil if it is printed elsewhere.
    private func print(
        _ event: String, _ file: LogFile, _ more: PrintedJSON = [:], text: String? = nil
    ) {
        if isJSON {
            var json = more
            json["event"] = event
            json["id"] = file.id.description
            json["file"] = file.name
            json["bytes"] = file.sizeBytes
            output.print(json.line)
        } else if let text {
            output.print(text)
        }
        if isWatching { output.flush() }
    }
}
