// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import EpitaphEvents
import EpitaphExplanation
import EpitaphHTTP

/// Prints what happens to logs, as lines for people or as JSON.
final class LogUploadReport: LogUploadDelegate {
    private let output: Output
    private let isJSON: Bool
    private let isWatching: Bool
    private var lastProblem: String?
    /// Logs that failed and wait for another try.
    private var failedIDs: Set<Epitaph.ID> = []
    private var toldNames: Set<String> = []

    /// - Parameter isWatching: each line is written at once, and a log that will be tried again
    /// does not count as a failure.
    init(_ output: Output, isJSON: Bool, isWatching: Bool) {
        self.output = output
        self.isJSON = isJSON
        self.isWatching = isWatching
    }

    func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?) {
        failedIDs.remove(file.id)
        var event = LogEvent("sent", file)
        event.status = response.status
        event.leftOver = leftOver
        print(event, text: "\(event.id) \(TerminalText.line(file.name)) \(file.sizeBytes) bytes")
        if let leftOver { output.complain("\(file.name) was sent, but \(leftOver)") }
    }

    func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool) {
        if willRetry { failedIDs.insert(file.id) }
        var event = LogEvent("failed", file)
        event.reason = "\(failure)"
        event.willRetry = willRetry
        if case .refused(let response) = failure { event.status = response.status }
        print(event)
        let sentence =
            "\(file.name) was not sent: \(failure)"
            + (willRetry || !isWatching ? "" : "; it is tried again after a restart")
        if willRetry && isWatching { output.note(sentence) } else { output.complain(sentence) }
    }

    func didVanish(_ file: LogFile) {
        print(LogEvent("vanished", file))
        output.note("\(file.name) is gone: it was deleted or compressed before it could be sent")
    }

    func didDiscard(_ file: LogFile, _ reason: DiscardReason) {
        var event = LogEvent("discarded", file)
        event.reason = reason.rawValue
        print(event)
        output.complain("\(file.name) was deleted unsent: \(reason)")
    }

    /// The result of one of many looks. A problem that persists is printed once.
    func announce(_ summary: LogUploadSummary) {
        for sentence in summary.nameProblems where toldNames.insert(sentence).inserted {
            output.note(sentence)
        }
        if let problem = summary.problem, problem != lastProblem { output.note(problem) }
        lastProblem = summary.problem
    }

    /// The result of the only look.
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

    private func print(_ event: LogEvent, text: String? = nil) {
        if isJSON {
            output.print(event.line)
        } else if let text {
            output.print(text)
        }
        if isWatching { output.flush() }
    }
}

/// A line of `upload-logs --json`; docs/dump-convert.md lists the members.
private struct LogEvent: PrintedJSON {
    let event: String
    let id: String
    let file: String
    let bytes: Int
    var status: Int?
    var reason: String?
    var willRetry: Bool?
    var leftOver: String?

    init(_ event: String, _ file: LogFile) {
        self.event = event
        id = file.id.description
        self.file = file.name
        bytes = file.sizeBytes
    }
}
