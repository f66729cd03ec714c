// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

struct SweepPass {
    let sweep: DumpSweep
    let options: DumpSweep.Options
    let directory: Directory
    let ownFiles: Set<FileIdentity>
    let ownNames: Set<String>
    /// A program that closes descriptors it does not know leaves the mapping of its armed file.
    let mappedNames: Set<String>
    let judge: OwnerJudge
    /// Read at the first conversion, because it may have to wait for another process.
    private lazy var clientID: Epitaph.ID? = (try? sweep.database.settings())?.clientID
    private var begunCount = 0
    private var summary = SweepSummary()
    private var written = WrittenDumps()
    private var ended: [EndedLaunch] = []
    var kinds: [String: ReportKind] = [:]
    private let attachments: SweepAttachments
    let breadcrumbs: SweptBreadcrumbs
    /// Ends stored in the history at once; each keeps a file open until then.
    private static let endLimit = 64

    init(
        sweep: DumpSweep, options: DumpSweep.Options, directory: Directory,
        ownFiles: Set<FileIdentity>
    ) {
        self.sweep = sweep
        mappedNames = sweep.proc.ownMappedNames()
        self.options = options
        self.directory = directory
        self.ownFiles = ownFiles
        ownNames = Set(options.ownFiles.map(\.lastPathComponent))
        judge = OwnerJudge(
            proc: sweep.proc, now: sweep.clock.now(), ownBundleID: options.ownBundleID)
        attachments = SweepAttachments(sweep.database, options)
        breadcrumbs = SweptBreadcrumbs(sweep, directory)
    }

    consuming func run(
        over listing: DirectoryListing, progress: (Int, Int) -> Void
    ) -> SweepSummary {
        summary.undecodableNameCount = listing.undecodableCount
        summary.isComplete = listing.isComplete
        let candidates = withoutUnneeded(candidates(in: listing))
        for (index, candidate) in candidates.enumerated() {
            BackgroundThread.breathe()
            if let outcome = settle(candidate) {
                record(candidate.fileName, outcome, candidate)
            }
            if written.isFull { fileWritten() }
            if ended.count >= Self.endLimit { endLaunches() }
            progress(index + 1, candidates.count)
        }
        fileWritten()
        endLaunches()
        let isOver = !summary.entries.contains { $0.outcome.isUnfinished }
        if isOver, options.onlyDump == nil { breadcrumbs.removeAbandoned() }
        summary.lesserProblems += attachments.problems + breadcrumbs.problems
        return summary
    }

    private mutating func fileWritten() {
        let dumps = written.takeAll()
        guard !dumps.isEmpty else { return }
        let failures = sweep.database.file(dumps.map(\.report))
        // Before the dumps are removed, which contain the same information.
        let filed = zip(dumps, failures).filter { $0.1 == nil }.map(\.0)
        keep(filed.map { ($0.conversion.candidate, $0.launch) })
        for (dump, failure) in zip(dumps, failures) {
            summary.entries[dump.entryIndex].outcome = dump.conversion.finish(dump, failure)
            if failure == nil { summary.entries[dump.entryIndex].launch = dump.launch }
        }
    }

    private mutating func endLaunches() {
        let launches = ended
        ended = []
        keep(launches.map { ($0.candidate, $0.launch) })
        for launch in launches {
            defer { launch.file.unlock() }
            do throws(SystemError) {
                try directory.remove(launch.candidate.fileName)
            } catch {
                summary.entries[launch.entryIndex].outcome = .failed(sentence: error.description)
            }
        }
    }

    private mutating func keep(_ launches: [(Candidate, RecordedLaunch?)]) {
        let byBundle = Dictionary(grouping: launches) { $0.0.name.bundleID }
        for (bundleID, launches) in byBundle.inKeyOrder {
            do throws(DatabaseError) {
                try sweep.database.record(launches.compactMap(\.1), of: bundleID)
                for launch in launches.compactMap(\.1) { breadcrumbs.keep(launch, of: bundleID) }
            } catch {
                summary.keptEveryLaunch = false
                summary.lesserProblems.append(
                    "the ends of \(bundleID) are not in its launch history: \(error)")
            }
        }
    }

    mutating func record(
        _ fileName: String, _ outcome: DumpOutcome, _ candidate: Candidate? = nil
    ) {
        summary.entries.append(
            SweepSummary.Entry(
                fileName: fileName, outcome: outcome, bundleID: candidate?.name.bundleID,
                lastWritten: candidate?.status.modificationTime, displacedHandlers: [],
                evidence: nil))
    }

    private mutating func record(
        _ candidate: Candidate, _ launch: RecordedLaunch, _ handlers: [DisplacedHandler]
    ) {
        summary.entries.append(
            SweepSummary.Entry(
                fileName: candidate.fileName, outcome: .ended(launch.end),
                bundleID: candidate.name.bundleID, lastWritten: launch.lastSign,
                displacedHandlers: handlers, evidence: launch.evidence, launch: launch))
    }

    func isOwn(_ candidate: Candidate) -> Bool {
        ownNames.contains(candidate.fileName) || ownFiles.contains(candidate.status.identity)
            || mappedNames.contains(candidate.fileName)
    }

    private var shouldStop: Bool { options.shouldStop?() ?? false }

    private mutating func settle(_ candidate: Candidate) -> DumpOutcome? {
        let path = directory.path(of: candidate.fileName)
        switch candidate.status.kind {
        case .regular: break
        case .directory: return .failed(sentence: "\(path): a directory is in a dump's place")
        case .symbolicLink: return .failed(sentence: "\(path): symbolic links are not followed")
        case .other: return .failed(sentence: "\(path): it is not a regular file")
        }
        do throws(SystemError) {
            guard candidate.name.stage == .locked else { return try convert(candidate) }
            guard !isOwn(candidate) else {
                return .stillAlive(.runs(processID: judge.ownProcessID))
            }
            return try settleLocked(candidate)
        } catch {
            return error.isNotFound ? nil : .failed(sentence: error.description)
        }
    }

    private mutating func settleLocked(
        _ candidate: Candidate
    ) throws(SystemError) -> DumpOutcome? {
        guard !shouldStop else { return .waiting }
        let file = try directory.openForReading(candidate.fileName)
        // It must be the file that was checked before, not a replacement.
        guard try file.fileStatus().identity == candidate.status.identity else { return .busy }
        if let holder = judge.holder(of: file) { return .stillAlive(holder) }
        let contents = try contents(of: file)
        // A process that marked its end and released the lock no longer needs the file.
        let isMarked = contents.launch?.cleanExitTime != nil
        if let heir = judge.heir(of: file, contents) { return .stillAlive(heir) }
        var liveness =
            isMarked ? .dead : judge.liveness(of: candidate, file, launch: contents.launch)
        if case .alive(.runs) = liveness, judge.hasBecomeAnother(candidate, contents.launch) {
            liveness = .replaced
        }
        if case .alive(let reason) = liveness { return .stillAlive(reason) }
        switch contents {
        case .crash, .liveDump, .unusable: return try convert(candidate, opened: file)
        case .empty, .launchRecord:
            // Between the two reads the owner may have written a crash and died.
            if case .crash = try self.contents(of: file) {
                return try convert(candidate, opened: file)
            }
            return try end(candidate, file, contents.launch, isReplaced: liveness == .replaced)
        }
    }

    /// Claims the file of a launch without a crash. Nil if the file vanished, or if the entry is
    /// recorded already and the file is removed with the others.
    private mutating func end(
        _ candidate: Candidate, _ file: FileDescriptor, _ launch: LaunchRecord?, isReplaced: Bool
    ) throws(SystemError) -> DumpOutcome? {
        var isKept = false
        defer { if !isKept { file.unlock() } }
        let claim = try claim(candidate, file)
        guard claim == .taken else { return claim == .vanished ? nil : .busy }
        // The end of a child is not the end of a launch.
        guard !candidate.name.isHandedOut else {
            try directory.remove(candidate.fileName)
            return nil
        }
        let verdict = verdict(on: launch, isReplaced: isReplaced)
        let recorded = RecordedLaunch(
            candidate, launch, end: verdict.end, evidence: verdict.evidence)
        record(candidate, recorded, launch?.displacedHandlers ?? [])
        ended.append(
            EndedLaunch(
                candidate: candidate, file: file, launch: recorded,
                entryIndex: summary.entries.count - 1))
        isKept = true
        return nil
    }

    private mutating func convert(
        _ candidate: Candidate, opened: FileDescriptor? = nil
    ) throws(SystemError) -> DumpOutcome? {
        if case .conversions(let limit) = options.limit, begunCount >= limit { return .waiting }
        if shouldStop { return .waiting }
        let file: FileDescriptor
        if let opened {
            file = opened
        } else {
            file = try directory.openForReading(candidate.fileName)
        }
        var isWritten = false
        // Once written, it stays locked until it is filed.
        defer { if !isWritten { file.unlock() } }
        let claim = try claim(candidate, file)
        guard claim == .taken else { return claim == .vanished ? nil : .busy }
        begunCount += 1
        if WrittenDumps.isBurden(candidate) { fileWritten() }
        written.giveBackLast()
        let step = Conversion(
            sweep: sweep, directory: directory, candidate: candidate, file: file,
            clientID: clientID, attachments: attachments,
            attachmentLimitBytes: options.attachmentLimitBytes, breadcrumbs: breadcrumbs,
            kind: kinds[candidate.fileName]
        ).begin()
        switch step {
        case .settled(let outcome):
            // If the machine fails, file or report at once what is written.
            if case .failed = outcome { fileWritten() }
            return keepCrash(candidate, file, outcome)
        case .written(var dump):
            isWritten = true
            // It keeps its place in the list; filing sets the outcome.
            record(candidate.fileName, .waiting, candidate)
            dump.entryIndex = summary.entries.count - 1
            summary.lesserProblems += dump.attachmentProblems
            written.append(dump)
            return nil
        }
    }

    /// A crash without a report, or with one from an interrupted pass, is an end as well.
    private mutating func keepCrash(
        _ candidate: Candidate, _ file: FileDescriptor, _ outcome: DumpOutcome?
    ) -> DumpOutcome? {
        guard let end = outcome?.crash else { return outcome }
        let contents = (try? contents(of: file)) ?? .empty
        if case .liveDump = contents { return outcome }
        let launch = RecordedLaunch(candidate, contents.launch, end: end)
        keep([(candidate, launch)])
        guard let outcome else { return nil }
        record(candidate.fileName, outcome, candidate)
        summary.entries[summary.entries.count - 1].launch = launch
        return nil
    }
}
