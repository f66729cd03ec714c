// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials
import ReportDatabase

/// `dump-convert prune`
enum PruneCommand {
    static let description = CommandDescription(
        name: "prune",
        abstract: "remove the oldest reports of a database",
        discussion: """
            Removes reports until the limits given are kept. Too many reports, or too large ones,
            make those go first that can be spared most: reports the server has, then those that
            will not be sent, then those that wait, and last those a person asked to be sent; the
            oldest crash first, but what was filed within the last day behind the rest. A report
            somebody works on stays.

            Without any limit no report goes. In any case what interrupted work left behind is
            removed, and quarantine is kept to its 50 latest files and 256 MiB.

            A clock that is wrong must not empty a database. When the time of day has jumped since
            the last run, more than a day back or a year ahead, ages are not asked for until a run
            a day later finds it confirmed; at the first run what counts is the latest time that the
            database itself holds. A report from the future counts as filed now.

            Prints one line for each report that went: its id, its state, its size in bytes, and
            why: too-old, too-many or too-large. Standard error tells the rest.
            """,
        operands: [],
        options: [.requiredDatabase, maxAge, maxCount, maxSize, dryRun, json],
        examples: [
            .init(
                commandLine: "dump-convert prune --max-age 90 --max-size 512",
                meaning: "removes what is older than 90 days, then what is too much for 512 MB."),
            .init(
                commandLine: "dump-convert prune --max-count 100 --dry-run",
                meaning: "tells which reports are not among the 100 to be kept."),
        ],
        run: run)

    private static let maxAge = OptionDescription(
        "max-age", value: "DAYS", kind: .count, "remove reports that were filed longer ago")
    private static let maxCount = OptionDescription(
        "max-count", value: "N", kind: .count, "keep at most so many reports")
    private static let maxSize = OptionDescription(
        "max-size", value: "MB", kind: .count,
        "keep at most so many megabytes, of 1,048,576 bytes, of minidumps and attachments")
    private static let dryRun = OptionDescription(
        "dry-run", "only tell what would be removed")
    private static let json = OptionDescription("json", "print JSON for programs")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let policy = PrunePolicy(
            maxAgeDays: arguments.count(of: maxAge) ?? 0,
            maxRecordCount: arguments.count(of: maxCount) ?? 0,
            maxDatabaseSizeMB: arguments.count(of: maxSize) ?? 0)
        let isDryRun = arguments.has(dryRun)
        let database = try ReportDatabase(named: arguments.value(of: .requiredDatabase) ?? "")
        let summary = try output.progress.during("removing reports") {
            () throws(CommandFailure) in
            try onDatabase { () throws(DatabaseError) in
                try database.prune(policy, mode: isDryRun ? .dryRun : .remove)
            }
        }
        if arguments.has(json) {
            output.print(PruneJSON(summary, isDryRun: isDryRun).text)
        } else {
            summary.removals.forEach { output.print(row($0)) }
        }
        tell(summary, isDryRun: isDryRun, output)
        if !summary.isClockTrusted, policy.maxAgeDays > 0 {
            output.note(
                "the time of day has jumped since the last run or the latest report, or was never "
                    + "set: no report was removed for its age; a run a day later will")
        }
    }

    private static func row(_ removal: PruneRemoval) -> String {
        let candidate = removal.candidate
        return [
            candidate.uuid.uuidString.lowercased(), ReportStateWord.of(candidate),
            String(candidate.sizeBytes), removal.reason.rawValue,
        ].joined(separator: "  ")
    }

    private static func tell(_ summary: PruneSummary, isDryRun: Bool, _ output: Output) {
        PruneNotes.tellPieces(summary, isDryRun: isDryRun, output)
        let reports = summary.keptCount == 1 ? "report" : "reports"
        output.note("\(summary.keptCount) \(reports) kept, \(summary.keptBytes) bytes")
    }
}

/// The words of `list` for the state of a report.
enum ReportStateWord {
    static func of(_ candidate: PruneCandidate) -> String {
        switch candidate.state {
        case .pending: candidate.isUploadRequested ? "requested" : "pending"
        case .completed: candidate.isUploaded ? "sent" : "not-sent"
        }
    }
}
