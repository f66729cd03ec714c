// SPDX-License-Identifier: Apache-2.0

import CrashReport
import DumpConversion
import ReportDatabase
import Snapshot

/// `dump-convert process`
enum ProcessCommand {
    static let description = CommandDescription(
        name: "process",
        abstract: "turn the dumps of crashed processes into reports",
        discussion: """
            Looks through DIR/pending-dumps, converts the dumps whose process is gone to minidumps
            and files them as pending reports. A dump is only removed once its report is safely on
            disk. One that cannot be converted is left in place and never stops the next one;
            after the third attempt it is put into DIR/quarantine. Dumps of running processes are
            not touched.

            Prints one line for each new report: its id, and the name of the dump it was made
            from. Standard error tells how processes ended that left no crash: well, killed, or
            lost when the machine was restarted.

            Then it keeps the database within bounds, as "dump-convert prune" does: 500 reports,
            1024 megabytes, and 90 days for those that were sent or will not be. What waits to be
            sent goes last, and never for its age unless --max-age is given. A limit of 0 is none.
            What was removed is told on standard error.

            Run as root, it works in another user's database with that user's rights, and what it
            makes there is that user's.
            """,
        operands: [],
        options: [.requiredDatabase, bundleID, limit, all] + RetentionOptions.all,
        examples: [
            .init(
                commandLine: "dump-convert process --database /var/lib/exampled/crashes",
                meaning: "converts what the last crashes left behind."),
            .init(
                commandLine: "dump-convert process --all",
                meaning: "converts every dump in $EPITAPH_DATABASE."),
        ],
        run: run)

    private static let bundleID = OptionDescription(
        "bundle-id", value: "ID",
        "take the dumps of this program first, and its unfinished ones after 24 hours instead of "
            + "60 days where nothing tells whether their process lives")
    private static let limit = OptionDescription(
        "limit", value: "N", kind: .count, excludes: ["all"],
        "convert at most N dumps; 20 when neither this nor --all is given")
    private static let all = OptionDescription("all", "convert every dump there is")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let database = try ReportDatabase(
            named: arguments.value(of: .requiredDatabase) ?? "", ifMissing: .create)
        var options = DumpSweep.Options()
        options.ownBundleID = arguments.value(of: bundleID)
        if arguments.has(all) {
            options.limit = .unlimited
        } else if let count = arguments.count(of: limit) {
            options.limit = .conversions(count)
        }
        database.noteGivenBack(to: output)
        // Before anything is filed with the time of a clock that may be wrong.
        let witness = database.clockWitness()
        let summary = try output.progress.during("converting dumps") {
            () throws(CommandFailure) in
            try onDatabase { () throws(DatabaseError) in
                try DumpSweep(database).run(options, progress: output.progress.update)
            }
        }
        for entry in summary.entries {
            tell(entry, output)
        }
        tellEnds(summary.entries, output)
        tellRest(summary, isAll: arguments.has(all), output)
        let policy = RetentionOptions.policy(arguments)
        let pruned = try onDatabase { () throws(DatabaseError) in
            try database.prune(policy, witness: witness)
        }
        PruneNotes.tell(pruned, by: policy, output)
    }

    /// What is left for another run.
    private static func tellRest(_ summary: SweepSummary, isAll: Bool, _ output: Output) {
        if summary.waitingCount > 0 {
            let dumps = summary.waitingCount == 1 ? "dump waits" : "dumps wait"
            output.note(
                "\(summary.waitingCount) more \(dumps) for the next run; --all takes every one")
        }
        guard summary.busyCount > 0 else { return }
        let dumps =
            summary.busyCount == 1
            ? "1 dump is in use by another process, which converts it; run this again if it is "
            : "\(summary.busyCount) dumps are in use by other processes, which convert them; run "
                + "this again if they are "
        let sentence = dumps + "still there later"
        // With --all every dump was to be converted, and these were not, at least not by this run.
        if isAll { output.complain(sentence) } else { output.note(sentence) }
    }

    private static func tell(_ entry: SweepSummary.Entry, _ output: Output) {
        switch entry.outcome {
        case .converted(let id):
            output.print("\(id.uuidString.lowercased()) \(TerminalText.line(entry.dumpName))")
        case .failed(let sentence): output.complain(sentence)
        case .quarantined(let path, let sentence):
            output.complain(sentence)
            output.note("moved to \(path)")
        case .notADump:
            output.note(
                "\(entry.fileName) in \(DumpSweep.pendingDirectoryName) is no dump; left alone")
        case .dropped(let count):
            output.note(
                "\(entry.fileName): \(count) dumps were removed or not begun, to stay under the "
                    + "limits for waiting dumps")
        case .stillAlive, .ended, .waiting, .busy: break
        }
    }

    /// One line for all processes of a program that ended in the same way.
    private static func tellEnds(_ entries: [SweepSummary.Entry], _ output: Output) {
        var counts: [String: Int] = [:]
        for entry in entries {
            // One that ended of a reported crash is told of by that.
            guard case .ended(let end) = entry.outcome, end != .ofReportedCrash,
                let bundleID = entry.bundleID
            else { continue }
            let displaced = displacement(entry.displacedHandlers)
            counts["of \(bundleID) \(end.words)\(displaced)", default: 0] += 1
        }
        for (words, count) in counts.sorted(by: { $0.key < $1.key }) {
            output.note(count == 1 ? "a process \(words)" : "\(count) processes \(words)")
        }
    }

    /// `; handlers had been displaced: SIGSEGV by 0x401000, …`; nothing where none were.
    private static func displacement(_ handlers: [DisplacedHandler]) -> String {
        guard !handlers.isEmpty else { return "" }
        let list = handlers.map { handler in
            let name = SignalNames.name(of: handler.signal)
            return switch handler.address {
            case nil: name
            case 0: "\(name) by the default action"
            case 1: "\(name), which was ignored"
            case .some(let address): "\(name) by 0x" + String(address, radix: 16)
            }
        }
        return "; handlers had been displaced (\(list.joined(separator: ", "))), so such crashes "
            + "would not have been recorded"
    }
}
