// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphValues

enum PruneCommand {
    static let description = CommandDescription(
        name: "prune",
        abstract: "remove the oldest reports of a database",
        discussion: """
            Removes reports until the database is within the given limits. If there are too many
            reports, or they are too large together, those that are needed least are removed
            first: reports the server has, then those that will not be sent, then those that wait,
            and last those a person asked to be sent; within each group the oldest crash first, but
            reports filed within the last day after all others. A report in use by another process
            stays.

            Without a limit no report is removed. In any case leftovers of interrupted work are
            removed, and quarantine is kept to its 50 latest files and 256 MiB.

            A wrong clock must not empty a database. When the time of day has jumped since the
            last run, by more than a day back or a year ahead, ages are ignored until a run a day
            later confirms the new time; the first run compares with the latest time found in the
            database. A report from the future counts as filed now.

            Without --database and $EPITAPH_DATABASE each database of the service's configuration is
            kept within the limits; --json needs one.

            Prints one line for each removed report: its id, its state, its size in bytes, and
            the reason: too-old, too-many or too-large. Standard error reports everything else.
            """,
        operands: [],
        options: [.database, maxAge, maxCount, maxSize, dryRun, .json],
        examples: [
            .init(
                "prune --max-age 90 --max-size 512",
                "removes reports older than 90 days, then those in excess of 512 MB."),
            .init(
                "prune --max-count 100 --dry-run",
                "lists the reports that are not among the 100 to be kept."),
        ],
        run: run)

    private static let maxAge = OptionDescription(
        "max-age", value: "DAYS", kind: .count, "remove reports filed more than DAYS days ago")
    private static let maxCount = OptionDescription(
        "max-count", value: "N", kind: .count, "keep at most N reports")
    private static let maxSize = OptionDescription(
        "max-size", value: "MB", kind: .count,
        "keep at most MB megabytes, of 1,048,576 bytes, of minidumps and attachments")
    private static let dryRun = OptionDescription(
        "dry-run", "only list what would be removed")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let policy = PrunePolicy(
            maxAgeDays: arguments.count(of: maxAge) ?? 0,
            maxRecordCount: arguments.count(of: maxCount) ?? 0,
            maxDatabaseSizeMB: arguments.count(of: maxSize) ?? 0)
        let paths = try NamedDatabases.orWatched(
            arguments, of: description, isOne: arguments.has(.json), output)
        try NamedDatabases.each(of: paths, output) { path throws(CommandFailure) in
            try prune(path, by: policy, arguments, output)
        }
    }

    private static func prune(
        _ path: String, by policy: PrunePolicy, _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let isDryRun = arguments.has(dryRun)
        guard let database = try ReportDatabase.ifFiled(named: path) else {
            output.note("there is no report in \(path) yet")
            if arguments.has(.json) {
                output.print(PrintedJSON(PruneSummary(), isDryRun: isDryRun).text)
            }
            return
        }
        if !isDryRun { CrashLedger(database: database).countBeforeRemoval(output) }
        let summary = try output.progress.during("removing reports") {
            () throws(CommandFailure) in
            try onDatabase(database.prune(policy, mode: isDryRun ? .dryRun : .remove))
        }
        if arguments.has(.json) {
            output.print(PrintedJSON(summary, isDryRun: isDryRun).text)
        } else {
            summary.removals.forEach { output.print(row($0)) }
        }
        announce(summary, isDryRun: isDryRun, output)
        if !summary.isClockTrusted, policy.maxAgeDays > 0 {
            output.note(
                "the time of day has jumped since the last run or the latest report, or was never "
                    + "set: no report was removed because of its age; a run a day later will do so")
        }
    }

    private static func row(_ removal: PruneRemoval) -> String {
        let candidate = removal.candidate
        return [
            candidate.uuid.description, ReportStateWord.of(candidate),
            String(candidate.sizeBytes), removal.reason.rawValue,
        ].joined(separator: "  ")
    }

    private static func announce(_ summary: PruneSummary, isDryRun: Bool, _ output: Output) {
        PruneNotes.announcePieces(summary, isDryRun: isDryRun, output)
        let reports = summary.keptCount == 1 ? "report" : "reports"
        output.note("\(summary.keptCount) \(reports) kept, \(summary.keptBytes) bytes")
    }
}

extension PrintedJSON {
    fileprivate init(_ summary: PruneSummary, isDryRun: Bool) {
        let removed = summary.removals.map { removal -> PrintedJSON in
            let candidate = removal.candidate
            return [
                "id": candidate.uuid.description, "state": ReportStateWord.of(candidate),
                "time": PreciseTime.timestamp(candidate.order.time),
                "filed": UTCTime.timestamp(candidate.creationTime),
                "sizeBytes": candidate.sizeBytes, "reason": removal.reason.rawValue,
            ]
        }
        let kept: PrintedJSON = ["count": summary.keptCount, "sizeBytes": summary.keptBytes]
        self.init(
            schema: "prune",
            [
                "isDryRun": isDryRun, "isClockTrusted": summary.isClockTrusted,
                "removed": removed, "kept": kept,
                "redated": summary.redated.map { $0.description },
                "busy": summary.busy.map { $0.description }, "stale": summary.stalePaths,
                "quarantine": summary.quarantinePaths, "problems": summary.problems,
            ])
    }
}

enum ReportStateWord {
    static func of(_ candidate: PruneCandidate) -> String {
        switch candidate.state {
        case .pending: candidate.isUploadRequested ? "requested" : "pending"
        case .completed: candidate.isUploaded ? "sent" : "not-sent"
        }
    }
}

enum PruneNotes {
    static func announce(_ summary: PruneSummary, by policy: PrunePolicy, _ output: Output) {
        for reason in PruneReason.allCases {
            let count = summary.removals.count { $0.reason == reason }
            guard count > 0 else { continue }
            let reports = count == 1 ? "1 report was" : "\(count) reports were"
            output.note("\(reports) removed: \(words(reason, policy))")
        }
        let unsent = summary.removals.count { $0.candidate.isUnsent }
        if unsent > 0 {
            output.note("\(unsent) of these had not been sent")
        }
        announcePieces(summary, isDryRun: false, output)
    }

    static func announcePieces(_ summary: PruneSummary, isDryRun: Bool, _ output: Output) {
        let removed = isDryRun ? "would be removed" : "removed"
        for path in summary.stalePaths {
            output.note("\(path): leftover of interrupted work, \(removed)")
        }
        for path in summary.quarantinePaths {
            output.note("\(path): too old, or too large for the quarantine, \(removed)")
        }
        for uuid in summary.redated {
            let dated = isDryRun ? "would count as filed now" : "counts as filed now"
            output.note("report \(uuid.description) is from the future: it \(dated)")
        }
        for uuid in summary.busy {
            output.note("report \(uuid.description) is in use and stays for now")
        }
        summary.problems.forEach { output.complain($0) }
    }

    private static func words(_ reason: PruneReason, _ policy: PrunePolicy) -> String {
        switch reason {
        case .tooOld: "filed more than \(policy.maxAgeDays) days ago (--max-age)"
        case .tooMany: "there were more than \(policy.maxRecordCount) (--max-count)"
        case .tooLarge:
            "together they took more than \(policy.maxDatabaseSizeMB) megabytes (--max-size)"
        }
    }
}
