// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// What earlier launches left behind.
    public struct EarlierCrashes: Sendable {
        /// The reports that were made from their dumps.
        public let convertedReports: [Epitaph.ID]
        /// Sentences about dumps that could not be converted yet, and files that were not attached.
        public let problems: [String]
        /// How many dumps are left for another pass.
        public let waitingCount: Int
        /// How earlier launches of this program ended, the newest first, each listed only once.
        public let lastLaunches: [EarlierLaunch]
        /// How many dumps were removed because of the limits for waiting dumps.
        public let droppedCount: Int
        /// Reports removed because of `CrashReporterOptions.prunePolicy`; worth a line in the log.
        public let removedReports: [PruneRemoval]
    }

    /// How one earlier launch of this program ended.
    public struct EarlierLaunch: Sendable, Equatable {
        /// How the launch ended. docs/launch-ends.md says which evidence each end needs.
        public let end: LaunchEnd
        let recorded: RecordedLaunch
        /// The evidence, as a sentence without a full stop; nil if there is nothing to add.
        public let evidence: String?
        /// When Epitaph was started; nil if unknown.
        public let start: Timestamp?
        /// The time of the crash, the clean end or the signal; otherwise of the start.
        public let lastSign: Timestamp
        /// How long it ran; nil if the time of its end is not known.
        public let runTime: Duration?
        /// Whether `Epitaph.noteMemoryWarning` was called during the launch.
        public let hadMemoryWarning: Bool
        /// Whether it was a forked child of a process with Epitaph: its end is not the program's.
        public let isChild: Bool
        /// For a launch without a crash: signals whose handlers other code had replaced. Crashes by
        /// these signals would not have been recorded.
        public let displacedSignals: [Signal]

        /// Nil for a launch whose crash was listed before, because nothing else is known about it.
        public init?(_ launch: RecordedLaunch) {
            guard launch.end != .ofReportedCrash else { return nil }
            end = launch.end
            recorded = launch
            evidence = launch.evidence
            start = launch.start
            lastSign = launch.lastSign
            runTime = launch.runTime
            hadMemoryWarning = launch.hadMemoryWarning
            isChild = launch.isChild
            displacedSignals = launch.displacedSignals
        }
    }
}

extension CrashReporter {
    /// Makes reports from the dumps of earlier launches and of other programs with the same
    /// database. Blocks while it reads debug information; tasks call the form that does not block.
    /// Converts at most 20 dumps a call, this program's own first.
    ///
    /// - Parameters:
    ///   - annotations: added to reports of this program that are made now, without replacing
    ///     values of the launch itself. At most 128, with names of 1 to 255 bytes;
    ///     `EarlierCrashes.problems` names unusable ones. Values are cut to 20,480 bytes.
    ///   - tell: called for each report once all are filed, with a short summary for the daemon's
    ///     log.
    /// - Throws: `DatabaseError` if the database cannot be used at all. A bad dump does not stop
    ///   the others.
    @discardableResult
    package func processIntermediateDumps(
        annotations: [String: String] = [:], telling tell: ((Epitaph.CrashSummary) -> Void)? = nil
    ) throws(Epitaph.DatabaseError) -> Epitaph.EarlierCrashes {
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
        defer { if !summary.entries.isEmpty { FreedMemory.giveBack() } }
        let (launches, launchProblems) = lastLaunches(of: summary)
        if let tell { try self.tell(tell, of: summary, launches) }
        // Pruned at the end, so that a new report is summarised before it may be removed.
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
        let filedHere = summary.entries.compactMap { entry -> (Epitaph.ID, String)? in
            guard case .converted(let id) = entry.outcome else { return nil }
            return (id, entry.bundleID ?? "")
        }
        // Reports of this program's crashes made by another process.
        let filedElsewhere = launches.compactMap(\.end.report)
            .filter { id in !filedHere.contains { $0.0 == id } }.map { ($0, bundleID) }
        let crashes = try withDatabase { (database) throws(DatabaseError) in
            // Explaining a report may read the files that it names.
            try database.asOwner {
                (filedElsewhere + filedHere).compactMap { id, bundleID in
                    CrashSummary(of: id, bundleID: bundleID, in: database)
                }
            }
        }
        crashes.forEach(tell)
    }

    /// Copies a file into the attachments of a filed report. Blocks; there is a form for tasks.
    ///
    /// - Throws: a problem that names the file, also if the database cannot be used or another
    ///   process works on the report.
    package func attach(_ file: Epitaph.AttachedFile, to report: Epitaph.ID) throws(Epitaph
        .AttachmentProblem)
    {
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

    /// - Parameter options: the program's own values are filled in here.
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
            // Other programs in the same database have their own attachments.
            guard bundleID == ownID else { return }
            // Files named in the dump itself are attached already.
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
            // From now on, sweeps of other processes attach them as well.
            do throws(DatabaseError) {
                try database.setWantedAttachments(wanted, of: bundleID)
            } catch {
                collected.sentences.withLock { $0.append(error.description) }
            }
            return try DumpSweep(database, converter: converter).run(options)
        }
        if !summary.reportIDs.isEmpty { RunningUploads.shared.wake(for: databasePath) }
        return (summary, summary.lesserProblems + collected.sentences.withLock { $0 })
    }
}

private final class Collected: Sendable {
    let sentences = ForkSafeMutex<[String]>([])
}
