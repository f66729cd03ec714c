// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphExplanation
import EpitaphMinidump
import EpitaphService
import EpitaphSystem
import EpitaphValues

/// Logs the results for dumps and reports of one database.
struct CollectedNews {
    let database: ReportDatabase
    let watched: WatchedDatabase

    private var path: String { watched.path }
    private var figures: ServiceFigures { watched.figures }

    func announce(_ entry: SweepSummary.Entry) {
        switch entry.outcome {
        case .converted(let id): announceReport(id, entry)
        case .failed(let sentence), .quarantined(_, let sentence):
            figures.add(.conversionFailed, bundleID: entry.bundleID ?? "", in: path)
            record(.conversionFailed, .error, sentence, entry)
        case .dropped(let count):
            record(
                .conversionFailed, .warning,
                "\(entry.fileName): \(count) dumps were removed, or not written at all, to stay under "
                    + "the limits for waiting dumps", entry)
        case .ended(let end): announceEnd(end, entry)
        case .notADump, .stillAlive, .waiting, .busy: break
        }
    }

    func announce(problem sentence: String) {
        watched.record(.databaseProblem, .warning, TerminalText.line(sentence))
    }

    func announce(_ summary: PruneSummary) {
        if !summary.removals.isEmpty {
            figures.add(.removed, count: summary.removals.count, bundleID: "", in: path)
            let count = summary.removals.count
            let unsent = summary.removals.count { $0.candidate.isUnsent }
            let sentence =
                (count == 1 ? "1 report was" : "\(count) reports were")
                + " removed from \(path) to keep it within its limits"
                + (unsent > 0 ? "; \(unsent) of them had not been sent" : "")
            watched.log.record(
                ServiceEvent(
                    .reportsRemoved, unsent > 0 ? .warning : .info, sentence,
                    fields: [watched.field]
                        + summary.removals.prefix(100).map {
                            ("EPITAPH_REPORT_ID", $0.candidate.uuid.description)
                        }))
        }
        summary.problems.forEach { announce(problem: $0) }
    }

    private func announceReport(_ id: Epitaph.ID, _ entry: SweepSummary.Entry) {
        let outline = try? ReportFacts.outline(
            of: database.openMinidump(of: id), at: path, MinidumpReader.readOutline)
        let facts = outline.map { ReportFacts($0) }
        let signature = SignatureCache(database).signature(of: id)
        let bundleID = entry.bundleID ?? ""
        let executable = facts?.program ?? ""
        let name = executable.isEmpty ? bundleID : executable.lastPathComponent
        let processID = outline?.process.id ?? 0
        let subject = processID > 0 ? "\(name)[\(processID)]" : name
        let kind = facts?.kind?.word ?? "report"
        let what =
            facts?.kind == .crash || facts?.kind == nil
            ? "crashed" + (facts?.signal.map { " with \($0)" } ?? "") : "left a report: \(kind)"
        var fields: [(name: String, value: String)] = [
            ("EPITAPH_REPORT_ID", id.description), ("EPITAPH_PROGRAM", bundleID),
            ("EPITAPH_EXECUTABLE", executable), ("EPITAPH_KIND", kind), watched.field,
        ]
        if let signature {
            fields.append(("EPITAPH_SIGNATURE", signature.text))
            fields.append(("EPITAPH_SIGNATURE_ID", signature.identifier))
        }
        if let signal = facts?.signal { fields.append(("EPITAPH_SIGNAL", signal)) }
        // Not OBJECT_PID: the journal would add facts about the process that has that number now,
        // systemd.journal-fields(7). Ours is gone, or was numbered in another namespace.
        if processID > 0 { fields.append(("EPITAPH_PID", "\(processID)")) }
        let words = signature.map { ": \($0.text)" } ?? ""
        figures.add(.filed(kind: kind), bundleID: bundleID, in: path)
        watched.log.record(
            ServiceEvent(
                .crashReported, .notice,
                TerminalText.line("\(subject) \(what)\(words)") + " (report "
                    + id.description + ")", fields: fields))
    }

    /// Regular ends do not interest an operator.
    private func announceEnd(_ end: LaunchEnd, _ entry: SweepSummary.Entry) {
        switch end {
        case .killed, .outOfMemory, .powerLoss, .unknown: break
        case .cleanly, .signalled, .exec, .ofReportedCrash, .shutdown, .lostToReboot, .crashed:
            return
        }
        let evidence = entry.evidence.map { " (\($0))" } ?? ""
        record(
            .launchEnded, .notice, "a process of \(entry.bundleID ?? "") \(end.words)\(evidence)",
            entry)
    }

    private func record(
        _ message: ServiceMessage, _ priority: ServicePriority, _ sentence: String,
        _ entry: SweepSummary.Entry
    ) {
        watched.record(
            message, priority, TerminalText.line(sentence),
            [("EPITAPH_PROGRAM", entry.bundleID ?? ""), ("EPITAPH_DUMP", entry.fileName)])
    }
}
