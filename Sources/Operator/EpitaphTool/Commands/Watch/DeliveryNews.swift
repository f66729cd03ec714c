// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphExplanation
import EpitaphService
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

/// Logs the results for reports to be sent, each once while it stays the same.
final class DeliveryNews: UploadNews {
    let progress: ProgressBar
    private(set) var foundTaken = false
    private let watched: WatchedDatabase
    private let pulse: WorkPulse
    private let signatures: SignatureCache
    private var told: [Epitaph.ID: String] = [:]
    /// About all reports, and problems with the database.
    private var toldOfAll: Set<String> = []
    private var seen: Set<String> = []

    init(
        _ database: ReportDatabase, _ watched: WatchedDatabase, _ pulse: WorkPulse
    ) throws(SystemError) {
        // No bar: the service has no terminal, and databases work in parallel.
        progress = ProgressBar(try FileDescriptor.openForReading("/dev/null"))
        self.watched = watched
        self.pulse = pulse
        signatures = SignatureCache(database)
    }

    func beginPass() {
        pulse.beat()
        foundTaken = false
        seen = []
    }

    func announce(_ report: PendingReport, _ result: UploadResult) {
        pulse.beat()
        if case .skipped(.taken) = result { foundTaken = true }
        switch result {
        case .sent, .alreadySent:
            told[report.uuid] = nil
            watched.figures.add(.sent, bundleID: "", in: watched.path)
            record(.reportSent, .info, report, "\(result)")
        case .failed(let failure):
            watched.figures.add(.sendFailed(reason: failure.word), bundleID: "", in: watched.path)
            sayOnce(of: report, failure.isRefusal ? .deliveryRefused : .deliveryFailed, "\(result)")
        case .skipped(let reason):
            switch reason {
            case .destinationRefused: sayOnceOfAll(.deliveryRefused, reason, "\(reason)")
            case .serverUnavailable, .serverUnreachable, .noNetwork, .serverPaused:
                sayOnceOfAll(.deliveryFailed, reason, "reports of \(watched.path) wait: \(reason)")
            case .refusedBefore, .choiceOpen:
                sayOnce(of: report, .deliveryRefused, "\(result)")
            // Chosen, or temporary.
            default: break
            }
        }
    }

    func announce(_ problem: AttachmentProblem, of report: Epitaph.ID) {
        say(.databaseProblem, .warning, "report \(report.description): \(problem)")
    }

    func announce(_ summary: UploadSummary) {
        (summary.problems + summary.remarks).forEach { problem($0) }
    }

    func announce(_ error: DatabaseError) { problem("\(error)") }

    func flush() {
        pulse.rest()
        toldOfAll.formIntersection(seen)
    }

    private func problem(_ sentence: String) {
        seen.insert(sentence)
        guard toldOfAll.insert(sentence).inserted else { return }
        say(.databaseProblem, .warning, sentence)
    }

    private func sayOnce(of report: PendingReport, _ message: ServiceMessage, _ words: String) {
        guard told[report.uuid] != words else { return }
        told[report.uuid] = words
        record(message, .warning, report, words)
    }

    /// Only the time in it may differ, so compare kinds.
    private func sayOnceOfAll(
        _ message: ServiceMessage, _ reason: SkipReason, _ sentence: String
    ) {
        let key = UploadCounts.Reason(reason).rawValue
        seen.insert(key)
        guard toldOfAll.insert(key).inserted else { return }
        say(message, .warning, sentence)
    }

    private func record(
        _ message: ServiceMessage, _ priority: ServicePriority, _ report: PendingReport,
        _ words: String
    ) {
        let id = report.uuid.description
        var fields: [(name: String, value: String)] = [("EPITAPH_REPORT_ID", id)]
        if let signature = signatures.signature(of: report.uuid) {
            fields.append(("EPITAPH_SIGNATURE", signature.text))
            fields.append(("EPITAPH_SIGNATURE_ID", signature.identifier))
        }
        say(message, priority, "report \(id): \(words)", fields)
    }

    private func say(
        _ message: ServiceMessage, _ priority: ServicePriority, _ sentence: String,
        _ fields: [(name: String, value: String)] = []
    ) {
        watched.record(message, priority, TerminalText.line(sentence), fields)
    }
}

extension UploadFailure {
    /// The label in metrics.
    fileprivate var word: String {
        switch self {
        case .transport: "transport"
        case .refused: "refused"
        case .tooLarge: "too-large"
        case .notFiledYet, .notFiled, .queue: "database"
        }
    }

    /// Whether a retry needs a person.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refused, .tooLarge: true
        case .transport, .notFiledYet, .notFiled, .queue: false
        }
    }
}
