// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import DumpConversion
import FoundationEssentials
import ReportDatabase
import Synchronization

/// What earlier launches left behind.
public struct EarlierCrashes: Sendable {
    /// The reports that were made of their dumps.
    public let convertedReports: [UUID]
    /// Sentences about dumps that could not be converted, which are still there, and about files
    /// that could not be attached.
    public let problems: [String]
    /// Dumps left for another pass.
    public let waitingCount: Int
    /// How earlier launches of this program ended, the newest first. Each is listed once.
    public let lastLaunches: [EarlierLaunch]
    /// Dumps that were given up because the limits for waiting dumps were reached.
    public let droppedCount: Int
    /// Reports that were removed afterwards to keep the database within the bounds of
    /// `CrashReporterOptions.prunePolicy`; worth a line in the log.
    public let removedReports: [PruneRemoval]
}

/// How one earlier launch of this program ended.
public struct EarlierLaunch: Sendable, Equatable {
    /// How a launch ended.
    public enum End: Sendable, Equatable {
        /// Nil when there is no report of the crash yet; `EarlierCrashes.problems` says why.
        case crashed(report: UUID?)
        /// It stopped the reporter, returned from main or called exit(3).
        case endedCleanly
        /// It ended in this boot without a record: SIGKILL, the kernel out of memory, another
        /// signal that is not handled, _exit(2) or execve(2).
        case killed
        /// The machine was restarted or lost its power meanwhile.
        case lostToReboot
        /// The launch record is missing or incomplete.
        case unknown
    }

    /// How the launch ended.
    public let end: End
    /// Of the crash or the clean end; the start of a launch that could write down neither.
    public let lastSign: Date
    /// Of a launch that left no crash: signals whose handlers other code had replaced by its end. A
    /// crash with one of them would not have been recorded.
    public let displacedSignals: [Int32]

    init?(_ entry: SweepSummary.Entry) {
        switch entry.outcome {
        case .converted(let id): end = .crashed(report: id)
        case .failed, .quarantined: end = .crashed(report: nil)
        case .ended(.cleanly): end = .endedCleanly
        case .ended(.killed): end = .killed
        case .ended(.lostToReboot): end = .lostToReboot
        case .ended(.unknown): end = .unknown
        // It is part of that crash.
        case .ended(.ofReportedCrash): return nil
        case .stillAlive, .waiting, .busy, .dropped, .notADump: return nil
        }
        guard let time = entry.lastWritten else { return nil }
        lastSign = time
        displacedSignals = entry.displacedHandlers.map(\.signal)
    }
}

extension CrashReporter {
    /// Turns the dumps that earlier launches, and other programs with the same database, left
    /// behind into reports. Blocks, for as long as it takes to read the debug information of what
    /// crashed; in a task the form that does not is called. At most 20 dumps a call, this program's
    /// own first.
    ///
    /// - Parameter tell: called for each report once all are filed, with what it says in a few
    ///   lines: the log of a daemon then says why its last launch died.
    /// - Throws: `DatabaseError` when the database cannot be used at all. One bad dump stops no
    ///   other.
    @discardableResult
    public func processIntermediateDumps(
        telling tell: ((CrashSummary) -> Void)? = nil
    ) throws(DatabaseError) -> EarlierCrashes {
        try processIntermediateDumps(telling: tell, shouldStop: nil)
    }

    func processIntermediateDumps(
        telling tell: ((CrashSummary) -> Void)?, shouldStop: (@Sendable () -> Bool)?
    ) throws(DatabaseError) -> EarlierCrashes {
        let witness = try withDatabase { (database) throws(DatabaseError) in
            database.clockWitness()
        }
        var options = DumpSweep.Options()
        options.shouldStop = shouldStop
        let (summary, attachmentProblems) = try sweep(options)
        if let tell { try self.tell(tell, of: summary) }
        // Afterwards, so that a new report is summarised before it may be removed.
        let pruned = try withDatabase { (database) throws(DatabaseError) in
            try database.prune(prunePolicy, witness: witness)
        }
        let launches = summary.entries.filter { $0.bundleID == bundleID }
            .compactMap(EarlierLaunch.init).sorted { $0.lastSign > $1.lastSign }
        return EarlierCrashes(
            convertedReports: summary.reportIDs,
            problems: summary.problems + attachmentProblems + pruned.problems,
            waitingCount: summary.waitingCount + summary.busyCount, lastLaunches: launches,
            droppedCount: summary.droppedCount, removedReports: pruned.removals)
    }

    private func tell(
        _ tell: (CrashSummary) -> Void, of summary: SweepSummary
    ) throws(DatabaseError) {
        let crashes = try withDatabase { (database) throws(DatabaseError) in
            // Explaining one may read the files that it names.
            try database.asOwner {
                summary.entries.compactMap { entry -> CrashSummary? in
                    guard case .converted(let id) = entry.outcome else { return nil }
                    return CrashSummary(of: id, bundleID: entry.bundleID ?? "", in: database)
                }
            }
        }
        crashes.forEach(tell)
    }

    /// Copies a file into the attachments of a report that is there already. Blocks while it is
    /// copied; in a task the form that does not is called.
    ///
    /// - Throws: a problem that names the file, also when the database cannot be used or another
    ///   process works on the report.
    public func attach(_ file: AttachedFile, to report: UUID) throws(AttachmentProblem) {
        let limitBytes = attachmentLimitBytes
        let outcome: Result<Void, AttachmentProblem>
        do throws(DatabaseError) {
            outcome = try withDatabase { database in
                Result { () throws(AttachmentProblem) in
                    try database.attach(file, to: report, limitBytes: limitBytes)
                }
            }
        } catch {
            throw .unreadable(name: file.path, reason: error.description)
        }
        try outcome.get()
    }

    /// - Parameter options: of which this fills in what is the program's own.
    func sweep(
        _ options: DumpSweep.Options
    ) throws(DatabaseError) -> (SweepSummary, problems: [String]) {
        var options = options
        options.ownBundleID = bundleID
        options.ownFiles = [String(cString: epitaph_armed_file_name())]
        options.attachmentLimitBytes = attachmentLimitBytes
        let collected = Collected()
        options.attach = { [attachments, attachmentLimitBytes, ownID = bundleID] report, bundleID in
            // Other programs with the same database have files of their own.
            guard bundleID == ownID else { return }
            for file in attachments {
                do throws(AttachmentProblem) {
                    try report.attach(file, limitBytes: attachmentLimitBytes)
                } catch {
                    collected.sentences.withLock { $0.append(error.description) }
                }
            }
        }
        let converter = MinidumpConverter(effort: stacksWhenFiled.effort)
        let summary = try withDatabase { (database) throws(DatabaseError) in
            try DumpSweep(database, converter: converter).run(options)
        }
        return (summary, summary.attachmentProblems + collected.sentences.withLock { $0 })
    }
}

/// Sentences from the middle of a sweep.
private final class Collected: Sendable {
    let sentences = Mutex<[String]>([])
}
