// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import ReportDatabase
import Snapshot

/// The state of one pass over the directory.
struct SweepPass {
    let sweep: DumpSweep
    let options: DumpSweep.Options
    let directory: Directory
    /// Identities of the files this process has open.
    let ownFiles: Set<FileIdentity>
    let ownNames: Set<String>
    /// Names of the files this process has mapped. A program that closes descriptors it does not
    /// know leaves its armed file's mapping.
    let mappedNames: Set<String>
    let judge: OwnerJudge
    /// Asked for at the first conversion only: it may have to wait for another process. A report
    /// without the installation's id is better than none.
    private lazy var clientID: UUID? = (try? sweep.database.settings())?.clientID
    private var begunCount = 0
    /// What the process said whose end was found just now.
    private var endedLaunch: LaunchRecord?
    private var summary = SweepSummary()
    private var written = WrittenDumps()

    init(
        sweep: DumpSweep, options: DumpSweep.Options, directory: Directory,
        ownFiles: Set<FileIdentity>
    ) {
        self.sweep = sweep
        mappedNames = sweep.proc.ownMappedNames()
        self.options = options
        self.directory = directory
        self.ownFiles = ownFiles
        ownNames = Set(
            options.ownFiles.map { $0.split(separator: "/").last.map(String.init) ?? "" })
        judge = OwnerJudge(
            proc: sweep.proc, now: sweep.clock.now(), ownBundleID: options.ownBundleID)
    }

    consuming func run(
        over listing: DirectoryListing, progress: (Int, Int) -> Void
    ) -> SweepSummary {
        summary.undecodableNameCount = listing.undecodableCount
        summary.isComplete = listing.isComplete
        let candidates = candidates(in: listing)
        for (index, candidate) in candidates.enumerated() {
            endedLaunch = nil
            if let outcome = settle(candidate) {
                record(candidate.fileName, outcome, candidate)
            }
            if written.isFull { fileWritten() }
            progress(index + 1, candidates.count)
        }
        fileWritten()
        return summary
    }

    /// Files what was written since the last time, all together.
    private mutating func fileWritten() {
        let dumps = written.takeAll()
        guard !dumps.isEmpty else { return }
        let failures = sweep.database.file(dumps.map(\.report))
        for (dump, failure) in zip(dumps, failures) {
            summary.entries[dump.entryIndex].outcome = dump.conversion.finish(dump, failure)
        }
    }

    private mutating func record(
        _ fileName: String, _ outcome: DumpOutcome, _ candidate: Candidate? = nil
    ) {
        summary.entries.append(
            SweepSummary.Entry(
                fileName: fileName, outcome: outcome, bundleID: candidate?.name.bundleID,
                lastWritten: endedLaunch?.cleanExitTime ?? candidate?.status.modificationTime,
                displacedHandlers: endedLaunch?.displacedHandlers ?? []))
    }

    /// Own bundle first, fresh dumps before others, oldest first. What is no dump is recorded at
    /// once.
    private mutating func candidates(in listing: DirectoryListing) -> [Candidate] {
        var candidates: [Candidate] = []
        for fileName in listing.names {
            do throws(SystemError) {
                // Files that vanished meanwhile are not ours to report.
                guard let status = try directory.status(of: fileName) else { continue }
                let parsed = DumpName(fileName)
                guard options.onlyDump == nil || parsed?.uuid == options.onlyDump else { continue }
                guard let name = parsed else {
                    let outcome = try DroppedDumps.take(fileName, status, in: directory)
                    if let outcome { record(fileName, outcome) }
                    continue
                }
                candidates.append(Candidate(fileName: fileName, name: name, status: status))
            } catch {
                record(fileName, .failed(sentence: error.description))
            }
        }
        let own = options.ownBundleID
        return candidates.sorted { left, right in
            let leftKey = (left.name.bundleID == own ? 0 : 1, left.name.stage.rank)
            let rightKey = (right.name.bundleID == own ? 0 : 1, right.name.stage.rank)
            guard leftKey == rightKey else { return leftKey < rightKey }
            return (left.status.modificationTime, left.fileName)
                < (right.status.modificationTime, right.fileName)
        }
    }

    /// Nil when the file vanished.
    private mutating func settle(_ candidate: Candidate) -> DumpOutcome? {
        let path = directory.path(of: candidate.fileName)
        switch candidate.status.kind {
        case .regular: break
        case .directory: return .failed(sentence: "\(path): a directory is in a dump's place")
        case .symbolicLink: return .failed(sentence: "\(path): symbolic links are not followed")
        case .other: return .failed(sentence: "\(path): it is not a regular file")
        }
        let isOwn =
            ownNames.contains(candidate.fileName) || ownFiles.contains(candidate.status.identity)
            || mappedNames.contains(candidate.fileName)
        do throws(SystemError) {
            guard candidate.name.stage == .locked else { return try convert(candidate) }
            guard !isOwn else { return .stillAlive(.runs(processID: judge.ownProcessID)) }
            return try settleLocked(candidate)
        } catch {
            return error.isNotFound ? nil : .failed(sentence: error.description)
        }
    }

    private mutating func settleLocked(
        _ candidate: Candidate
    ) throws(SystemError) -> DumpOutcome? {
        let file = try directory.openForReading(candidate.fileName)
        // The file that was asked about, not one put in its place since.
        guard try file.fileStatus().identity == candidate.status.identity else { return .busy }
        if let holder = judge.holder(of: file) { return .stillAlive(holder) }
        let contents = try contents(of: file)
        // A process that marked its end and let go of the lock needs the file no more, though it
        // may run on without Epitaph.
        let isMarked = contents.launch?.cleanExitTime != nil
        if let heir = judge.heir(of: file, contents) { return .stillAlive(heir) }
        let liveness =
            isMarked ? .dead : judge.liveness(of: candidate, file, launch: contents.launch)
        if case .alive(let reason) = liveness { return .stillAlive(reason) }
        switch contents {
        case .crash, .unusable: return try convert(candidate, opened: file)
        case .empty, .launchRecord:
            // Between the two looks the owner may have crashed into the file and died. Now it is as
            // it stays.
            if case .crash = try self.contents(of: file) {
                return try convert(candidate, opened: file)
            }
            defer { file.unlock() }
            let claim = try claim(candidate, file)
            guard claim == .taken else { return claim == .vanished ? nil : .busy }
            endedLaunch = contents.launch
            try directory.remove(candidate.fileName)
            // Neither killed nor ended: this very process runs on as another program. Or a child,
            // which was no launch.
            guard liveness != .replaced, !candidate.name.isHandedOut else { return nil }
            return .ended(LaunchEnd(of: contents.launch, bootID: judge.bootID))
        }
    }

    private func contents(of file: FileDescriptor) throws(SystemError) -> DumpContents {
        try file.fileStatus().sizeBytes > DumpSweep.mostDumpBytes
            ? .unusable(DumpSweep.tooLarge)
            : sweep.converter.contents(of: try FileBytes.contents(of: file))
    }

    private mutating func convert(
        _ candidate: Candidate, opened: FileDescriptor? = nil
    ) throws(SystemError) -> DumpOutcome? {
        if case .conversions(let limit) = options.limit, begunCount >= limit { return .waiting }
        if let shouldStop = options.shouldStop, shouldStop() { return .waiting }
        let file: FileDescriptor
        if let opened {
            file = opened
        } else {
            file = try directory.openForReading(candidate.fileName)
        }
        var isWritten = false
        // A written one stays locked until it is filed.
        defer { if !isWritten { file.unlock() } }
        let claim = try claim(candidate, file)
        guard claim == .taken else { return claim == .vanished ? nil : .busy }
        begunCount += 1
        if WrittenDumps.isBurden(candidate) { fileWritten() }
        written.giveBackLast()
        let step = Conversion(
            sweep: sweep, directory: directory, candidate: candidate, file: file,
            clientID: clientID, attach: options.attach,
            attachmentLimitBytes: options.attachmentLimitBytes
        ).begin()
        switch step {
        case .settled(let outcome):
            // If the machine fails, what is written is filed, or reported, at once.
            if case .failed = outcome { fileWritten() }
            return outcome
        case .written(var dump):
            isWritten = true
            // Its place among the others; what it says comes with its filing.
            record(candidate.fileName, .waiting, candidate)
            dump.entryIndex = summary.entries.count - 1
            summary.entries[dump.entryIndex].attachmentProblems = dump.attachmentProblems
            written.append(dump)
            return nil
        }
    }

    private enum Claim {
        case taken
        /// Another process has it, or put another file in its place.
        case refused
        /// It is gone: another sweep was quicker, or it was removed.
        case vanished
    }

    /// Takes flock(2) on the file for as long as it is open, and makes sure that the name still
    /// means it. Where the file system has no such locks two sweeps may take one dump: the report
    /// they make has the dump's id, and the database lets only one of them write it.
    private func claim(_ candidate: Candidate, _ file: FileDescriptor) throws(SystemError) -> Claim
    {
        do throws(SystemError) {
            guard try file.tryLocking(.exclusive) else { return .refused }
        } catch {
            guard error.isUnsupported else { throw error }
        }
        guard let status = try directory.status(of: candidate.fileName) else { return .vanished }
        return try status.identity == file.fileStatus().identity ? .taken : .refused
    }
}
