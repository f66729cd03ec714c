// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphExplanation
import EpitaphSymbolStore
import EpitaphUnwinding
import EpitaphValues

enum ProcessCommand {
    static let description = CommandDescription(
        name: "process",
        abstract: "turn the dumps of crashed processes into reports",
        discussion: """
            Looks through DIR/pending-dumps, and the directory that --pending names, converts the dumps of processes that have ended to
            minidumps and files them as pending reports. A dump is only removed once its report is
            safely on disk. One that cannot be converted stays in place and does not stop the
            others; after the third attempt it is moved to DIR/quarantine. Dumps of running
            processes are not touched.

            Prints one line for each new report: its id, and the name of the dump it was made
            from. Standard error reports how processes without a crash ended (well, by a signal,
            killed, for want of memory, by exec, or with the machine) and what that rests on.
            Each launch is kept in the history of its program, which learns of it at its next
            start; what the program wants attached to its reports is attached.

            Then the database is kept within limits, as "\(ProgramDescription.name) prune" does: 500 reports,
            1024 megabytes, and 90 days for reports that were sent or will not be sent. Reports
            that wait to be sent are removed last, and never because of their age unless --max-age
            is given. A limit of 0 means no limit. Standard error lists what was removed.

            When run as root on another user's database, it works with that user's rights, and
            the files it makes belong to that user.
            """,
        operands: [],
        options: [
            .requiredDatabase, pending, bundleID, limit, all, annotation, SymbolOptions.debuginfod,
        ] + RetentionOptions.all,
        examples: [
            .init(
                "process --database /var/lib/exampled/crashes",
                "converts what the last crashes left behind."),
            .init("process --all", "converts every dump in $EPITAPH_DATABASE."),
            .init("process --annotation rack=12", "has the new reports say where the machine is."),
            .init(
                "process --pending /run/exampled/dumps",
                "also converts the dumps in the program's crash directory."),
        ],
        run: run)

    private static let pending = OptionDescription(
        "pending", value: "DIR", kind: .directory,
        "look through this directory too, the crash_directory of a program; it must belong to the "
            + "database's owner, and nobody else may write to it")
    private static let bundleID = OptionDescription(
        "bundle-id", value: "ID",
        "convert the dumps of this program first; if it is unknown whether a process still runs, "
            + "take this program's unfinished dumps after 24 hours instead of 60 days")
    private static let limit = OptionDescription(
        "limit", value: "N", kind: .count, excludes: ["all"],
        "convert at most N dumps of each directory; default without --all: 20")
    private static let all = OptionDescription("all", "convert every dump there is")

    private static let annotation = OptionDescription(
        "annotation", value: "NAME=VALUE", isRepeatable: true,
        "add an annotation to the new reports; with --bundle-id, to those of that program. What the "
            + "program set itself is not replaced")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let added = try annotations(arguments)
        let servers = try SymbolOptions.servers(arguments, of: description, output)
        let database = try ReportDatabase(
            named: arguments.value(of: .requiredDatabase) ?? "", ifMissing: .create)
        var options = DumpSweep.Options()
        options.ownBundleID = arguments.value(of: bundleID)
        options.crashDirectory = try crashDirectory(arguments, of: database)
        if arguments.has(all) {
            options.limit = .unlimited
        } else if let count = arguments.count(of: limit) {
            options.limit = .conversions(count)
        }
        database.noteRepairs(to: output)
        // Before anything is filed with the time of a clock that may be wrong.
        let witness = database.clockWitness()
        let summary = try output.progress.during("converting dumps") {
            () throws(CommandFailure) in
            try onDatabase(
                try DumpSweep(database, converter: converter(asking: servers, adding: added))
                    .run(options, progress: output.progress.update))
        }
        for entry in summary.entries {
            announce(entry, output)
        }
        announceEnds(summary.entries, output)
        for problem in summary.lesserProblems { output.note(problem) }
        announceRest(summary, isAll: arguments.has(all), output)
        let policy = RetentionOptions.policy(arguments)
        CrashLedger(database: database).countBeforeRemoval(output)
        let pruned = try onDatabase(database.prune(policy, witness: witness))
        PruneNotes.announce(pruned, by: policy, output)
    }

    /// Servers take longer than local files, within their own limits.
    private static func converter(
        asking servers: SymbolServers?, adding added: AddedAnnotations
    ) -> MinidumpConverter {
        guard let servers else { return MinidumpConverter(adding: added) }
        return MinidumpConverter(
            images: DownloadedImages(
                InstalledImages(), servers: servers, fetchesDebugInformation: true),
            timeLimit: .seconds(600), adding: added)
    }

    private static func crashDirectory(
        _ arguments: ParsedArguments, of database: ReportDatabase
    ) throws(CommandFailure) -> String? {
        guard let path = arguments.value(of: pending) else { return nil }
        let directory = try onDatabase(database.openCrashDirectory(path))
        guard directory != nil else {
            throw CommandFailure(.notFound, "there is no directory \(path)")
        }
        return path
    }

    private static func annotations(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> AddedAnnotations {
        var pairs: [String: String] = [:]
        for text in arguments.values(of: annotation) {
            guard let (name, value) = text.halves(at: "="),
                AddedAnnotations.isUsable(name: String(name))
            else {
                throw CommandFailure(
                    usage:
                        "--annotation \(TerminalText.line(text)): write NAME=VALUE, with a name of 1 "
                        + "to \(AddedAnnotations.nameLimit) bytes", of: description)
            }
            pairs[String(name)] = String(value)
        }
        guard pairs.count <= AddedAnnotations.countLimit else {
            throw CommandFailure(
                usage: "at most \(AddedAnnotations.countLimit) annotations can be added",
                of: description)
        }
        return AddedAnnotations(pairs, toReportsOf: arguments.value(of: bundleID))
    }

    private static func announceRest(_ summary: SweepSummary, isAll: Bool, _ output: Output) {
        if summary.waitingCount > 0 {
            let dumps = summary.waitingCount == 1 ? "dump waits" : "dumps wait"
            output.note(
                "\(summary.waitingCount) more \(dumps) for the next run; --all converts every one")
        }
        guard summary.busyCount > 0 else { return }
        let dumps =
            summary.busyCount == 1
            ? "1 dump is being converted by another process; run this again if it is "
            : "\(summary.busyCount) dumps are being converted by other processes; run this again "
                + "if they are "
        let sentence = dumps + "still there later"
        // With --all every dump should have been converted, but this run failed to.
        if isAll { output.complain(sentence) } else { output.note(sentence) }
    }

    private static func announce(_ entry: SweepSummary.Entry, _ output: Output) {
        switch entry.outcome {
        case .converted(let id):
            output.print("\(id.description) \(TerminalText.line(entry.dumpName))")
        case .failed(let sentence): output.complain(sentence)
        case .quarantined(let path, let sentence):
            output.complain(sentence)
            output.note("moved to \(path)")
        case .notADump:
            output.note(
                "\(entry.fileName) in \(DumpSweep.pendingDirectoryName) is not a dump; left alone")
        case .dropped(let count):
            output.note(
                "\(entry.fileName): \(count) dumps were removed, or not written at all, to stay "
                    + "under the limits for waiting dumps")
        case .stillAlive, .ended, .waiting, .busy: break
        }
    }

    /// One line for all processes of a program that ended in the same way.
    private static func announceEnds(_ entries: [SweepSummary.Entry], _ output: Output) {
        var counts: [String: Int] = [:]
        for entry in entries {
            // That end is part of the crash report.
            guard case .ended(let end) = entry.outcome, end != .ofReportedCrash,
                let bundleID = entry.bundleID
            else { continue }
            let displaced = displacement(entry.displacedHandlers)
            let evidence = entry.evidence.map { " (\($0))" } ?? ""
            counts["of \(bundleID) \(end.words)\(evidence)\(displaced)", default: 0] += 1
        }
        for (words, count) in counts.inKeyOrder {
            output.note(count == 1 ? "a process \(words)" : "\(count) processes \(words)")
        }
    }

    /// `; other code had replaced handlers (SIGSEGV by 0x401000, …)…`; empty without any.
    private static func displacement(_ handlers: [DisplacedHandler]) -> String {
        guard !handlers.isEmpty else { return "" }
        let list = handlers.map { handler in
            let name = Signal(rawValue: handler.signal).description
            return switch handler.address {
            case nil: name
            case 0: "\(name) by the default action"
            case 1: "\(name), which was ignored"
            case .some(let address): "\(name) by 0x" + String(address, radix: 16)
            }
        }
        return "; other code had replaced handlers (\(list.joined(separator: ", "))), so crashes "
            + "by these would not have been recorded"
    }
}
