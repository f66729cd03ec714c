// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphUpload
import EpitaphValues

final class UploadReporting: UploadNews {
    private let output: Output
    private let isJSON: Bool
    private let isDryRun: Bool
    private let databasePath: String
    /// While watching, a report is printed again only if its state changes.
    var isWatching = false
    private var told: [Epitaph.ID: String] = [:]
    private var counts = UploadCounts()
    private var announcedRemarks: Set<String> = []

    init(_ output: Output, isJSON: Bool, isDryRun: Bool, databasePath: String) {
        self.output = output
        self.isJSON = isJSON
        self.isDryRun = isDryRun
        self.databasePath = databasePath
    }

    var progress: ProgressBar { output.progress }

    var foundTaken: Bool { counts.reasons[.taken] != nil }

    func beginPass() {
        counts.beginPass()
    }

    func announce(_ report: PendingReport, _ result: UploadResult) {
        counts.add(result)
        let words = "\(result)"
        guard !isWatching || !result.passesByItself && told[report.uuid] != words else { return }
        told[report.uuid] = result.isSent ? nil : words
        if isJSON {
            output.print(PrintedJSON(report, result, isDryRun: isDryRun).line)
        } else {
            announceText(report.uuid, result)
        }
        if result.isFailure { output.fail() }
    }

    private func announceText(_ uuid: Epitaph.ID, _ result: UploadResult) {
        let id = uuid.description
        switch result {
        case .sent where isDryRun: break
        case .sent: output.print("\(id) \(TerminalText.line("\(result)"))")
        case .failed, .alreadySent: output.note("report \(id): \(result)")
        // Concerns many reports, so it is printed at the end.
        case .skipped(let reason) where reason.concernsAll: break
        case .skipped: output.note("report \(id): \(result)")
        }
    }

    func announce(_ summary: UploadSummary) {
        summary.problems.forEach { announce(problem: $0) }
        for remark in summary.remarks where announcedRemarks.insert(remark).inserted {
            output.note(remark)
        }
    }

    func announce(_ error: DatabaseError) {
        announce(problem: error.description)
    }

    func announce(_ problem: AttachmentProblem, of report: Epitaph.ID) {
        announce(problem: "report \(report.description): \(problem)")
    }

    private func announce(problem: String) {
        output.complain(problem)
        counts.problems += 1
    }

    func flush() {
        output.flush()
    }

    func announce(_ preview: RequestPreview, of report: Epitaph.ID) {
        guard !isJSON else { return }
        let id = report.description
        output.print("\(id) would be sent to \(preview.server) in \(preview.bodyBytes) bytes")
        for (name, value) in preview.annotations.inKeyOrder {
            output.print(TerminalText.line("  annotation \(name)=\(value)"))
        }
        for attachment in preview.attachments {
            output.print(
                TerminalText.line(
                    "  attachment \(attachment.name), \(attachment.sizeBytes) bytes"))
        }
        if let scrubbed = preview.scrubbed {
            output.print("  scrubbed: \(scrubbed.sentence)")
            for name in scrubbed.names {
                output.print(TerminalText.line("  scrubbed: \(name) is not sent"))
            }
        }
        preview.leftOut.forEach { output.print(TerminalText.line("  not sent: \($0)")) }
    }

    func finish() {
        let waiting = WaitingDumps(inDatabaseAt: databasePath)
        if isJSON {
            output.print(
                PrintedJSON(counts, waitingDumps: waiting.count, isDryRun: isDryRun).line)
            return
        }
        output.note(counts.sentence(isDryRun: isDryRun))
        waiting.note(to: output)
        counts.stuckSentences.forEach { output.note($0) }
        if let pause = counts.pause { output.note(pause) }
        if counts.reasons[.uploadsDisabled] != nil {
            output.note(
                "uploads are off in this database: --enable turns them on permanently, --once "
                    + "sends this time only")
        }
    }
}

extension UploadResult {
    var isSent: Bool {
        switch self {
        case .sent, .alreadySent: true
        case .failed, .skipped: false
        }
    }

    var passesByItself: Bool {
        switch self {
        case .skipped(.taken), .skipped(.notDue): true
        default: false
        }
    }

    /// A report that waits for its time is no failure; one that waits for a person is. Disabled
    /// uploads are a choice: a timer on a healthy machine must not fail for that.
    var isFailure: Bool {
        switch self {
        case .sent, .alreadySent: false
        case .failed: true
        case .skipped(let reason):
            switch reason {
            case .serverUnavailable, .serverUnreachable, .noNetwork, .destinationRefused,
                .refusedBefore, .choiceOpen:
                true
            default: false
            }
        }
    }
}

extension SkipReason {
    var concernsAll: Bool {
        switch self {
        case .uploadsDisabled, .serverUnavailable, .serverUnreachable, .destinationRefused,
            .stopped, .serverPaused, .noNetwork:
            true
        default: false
        }
    }
}
