// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import DumpConversion
import EpitaphCapture
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
        /// It ended by a signal with the default action that Epitaph was asked to mark
        /// (`CrashReporterOptions.markedSignals`): its number, signal(7).
        case signalled(Int32)
        /// The kernel ended it for want of memory; a guess unless it is certain.
        case outOfMemory(isCertain: Bool)
        /// The process became another program, execve(2).
        case exec
        /// It ended in this boot without a mark: SIGKILL, _exit(2), or a signal that Epitaph was
        /// not asked to mark.
        case killed
        /// The machine was shut down or restarted in order.
        case shutdown
        /// The machine lost its power, or its kernel crashed.
        case powerLoss
        /// The machine was restarted meanwhile; whether in order is not known.
        case lostToReboot
        /// The launch record is missing or incomplete.
        case unknown
    }

    /// How the launch ended. docs/launch-ends.md says what each end rests on.
    public let end: End
    let recorded: RecordedLaunch
    /// What that rests on, as a sentence without a full stop; nil where there is nothing to add.
    public let evidence: String?
    /// When Epitaph was started; nil if unknown.
    public let start: Date?
    /// Of the crash, the clean end or the signal; the start of a launch that could write down none.
    public let lastSign: Date
    /// How long it ran, seconds; nil where the time of the end is not known.
    public let runSeconds: Double?
    /// Whether `CrashReporter.noteMemoryWarning` was called in it.
    public let hadMemoryWarning: Bool
    /// Whether it was a forked child of the process that started Epitaph: its end is not that of
    /// the program.
    public let isChild: Bool
    /// Of a launch that left no crash: signals whose handlers other code had replaced by its end. A
    /// crash with one of them would not have been recorded.
    public let displacedSignals: [Int32]

    /// Nil for a launch whose crash was listed before: the rest of it is not known.
    public init?(_ launch: RecordedLaunch) {
        guard let end = End(launch.end) else { return nil }
        self.end = end
        recorded = launch
        evidence = launch.evidence
        start = launch.start
        lastSign = launch.lastSign
        runSeconds = launch.runSeconds
        hadMemoryWarning = launch.hadMemoryWarning
        isChild = launch.isChild
        displacedSignals = launch.displacedSignals
    }
}

extension EarlierLaunch.End {
    fileprivate init?(_ end: LaunchEnd) {
        switch end {
        case .crashed(let report): self = .crashed(report: report)
        case .cleanly: self = .endedCleanly
        case .signalled(let signal): self = .signalled(signal)
        case .outOfMemory(let isCertain): self = .outOfMemory(isCertain: isCertain)
        case .exec: self = .exec
        case .killed: self = .killed
        case .shutdown: self = .shutdown
        case .powerLoss: self = .powerLoss
        case .lostToReboot: self = .lostToReboot
        case .unknown: self = .unknown
        // It is part of that crash.
        case .ofReportedCrash: return nil
        }
    }
}

extension CrashReporter {
    /// Turns the dumps that earlier launches, and other programs with the same database, left
    /// behind into reports. Blocks, for as long as it takes to read the debug information of what
    /// crashed; in a task the form that does not is called. At most 20 dumps a call, this program's
    /// own first.
    ///
    /// - Parameters:
    ///   - annotations: added to the reports of this program that are made now; what a launch said
    ///     itself is not replaced. At most 128, names of 1 to 255 bytes; `EarlierCrashes.problems`
    ///     names those that cannot be used. Values are cut at 20,480 bytes.
    ///   - tell: called for each report once all are filed, with what it says in a few lines: the
    ///     log of a daemon then says why its last launch died.
    /// - Throws: `DatabaseError` when the database cannot be used at all. One bad dump stops no
    ///   other.
    @discardableResult
    public func processIntermediateDumps(
        annotations: [String: String] = [:], telling tell: ((CrashSummary) -> Void)? = nil
    ) throws(DatabaseError) -> EarlierCrashes {
        try processIntermediateDumps(annotations: annotations, telling: tell, shouldStop: nil)
    }

    func processIntermediateDumps(
        annotations: [String: String], telling tell: ((CrashSummary) -> Void)?,
        shouldStop: (@Sendable () -> Bool)?
    ) throws(DatabaseError) -> EarlierCrashes {
        let witness = try withDatabase { (database) throws(DatabaseError) in
            database.clockWitness()
        }
        var options = DumpSweep.Options()
        options.shouldStop = shouldStop
        let (summary, attachmentProblems) = try sweep(
            options, adding: AddedAnnotations(annotations, toReportsOf: bundleID))
        let (launches, launchProblems) = lastLaunches(of: summary)
        if let tell { try self.tell(tell, of: summary, launches) }
        // Afterwards, so that a new report is summarised before it may be removed.
        let pruned = try withDatabase { (database) throws(DatabaseError) in
            try database.prune(reports.prunePolicy, witness: witness)
        }
        return EarlierCrashes(
            convertedReports: summary.reportIDs,
            problems: AddedAnnotations.problems(with: annotations) + summary.problems
                + attachmentProblems + launchProblems + pruned.problems,
            waitingCount: summary.waitingCount + summary.busyCount,
            lastLaunches: launches.compactMap(EarlierLaunch.init),
            droppedCount: summary.droppedCount, removedReports: pruned.removals)
    }

    private func tell(
        _ tell: (CrashSummary) -> Void, of summary: SweepSummary, _ launches: [RecordedLaunch]
    ) throws(DatabaseError) {
        let filedHere = summary.entries.compactMap { entry -> (UUID, String)? in
            guard case .converted(let id) = entry.outcome else { return nil }
            return (id, entry.bundleID ?? "")
        }
        // Reports that another process made of this program's crashes.
        let filedElsewhere = launches.compactMap(\.end.report)
            .filter { id in !filedHere.contains { $0.0 == id } }.map { ($0, bundleID) }
        let crashes = try withDatabase { (database) throws(DatabaseError) in
            // Explaining one may read the files that it names.
            try database.asOwner {
                (filedElsewhere + filedHere).compactMap { id, bundleID in
                    CrashSummary(of: id, bundleID: bundleID, in: database)
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
        let limitBytes = reports.attachmentLimitBytes
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
        _ options: DumpSweep.Options, adding annotations: AddedAnnotations = .none
    ) throws(DatabaseError) -> (SweepSummary, problems: [String]) {
        var options = options
        options.ownBundleID = bundleID
        options.ownFiles = [String(cString: epitaph_armed_file_name())]
        options.crashDirectory = self.options.crashDirectory
        options.attachmentLimitBytes = reports.attachmentLimitBytes
        let collected = Collected()
        let (attachments, limitBytes) = (attachments, reports.attachmentLimitBytes)
        options.attach = { [ownID = bundleID] report, bundleID in
            // Other programs with the same database have files of their own.
            guard bundleID == ownID else { return }
            // What the dump names itself is there already.
            for file in attachments where !report.hasAttachment(file.name) {
                do throws(AttachmentProblem) {
                    try report.attach(file, limitBytes: limitBytes)
                } catch {
                    collected.sentences.withLock { $0.append(error.description) }
                }
            }
        }
        let converter = MinidumpConverter(
            effort: reports.stacksWhenFiled.effort, adding: annotations)
        let wanted = WantedAttachments(files: attachments, limitBytes: limitBytes)
        let summary = try withDatabase { (database) throws(DatabaseError) in
            // For sweeps of other processes, from now on.
            do throws(DatabaseError) {
                try database.setWantedAttachments(wanted, of: bundleID)
            } catch {
                collected.sentences.withLock { $0.append(error.description) }
            }
            return try DumpSweep(database, converter: converter).run(options)
        }
        return (summary, summary.lesserProblems + collected.sentences.withLock { $0 })
    }
}

/// Sentences from the middle of a sweep.
private final class Collected: Sendable {
    let sentences = Mutex<[String]>([])
}
