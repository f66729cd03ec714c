// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphService
import EpitaphSystem
import Synchronization

/// Converts the dumps of one database as they come, and limits its size.
struct Collector {
    /// Dumps of a service in a restart loop come in groups.
    private static let settleSeconds = 0.3
    /// Retry interval for a database that cannot be opened.
    private static let reopenSeconds = 10.0
    /// Another process is converting a dump. If it dies, the dump remains.
    private static let busySeconds = 5.0
    private static let pruneSeconds = 3_600.0
    private static let pollSeconds = 10.0

    private let watched: WatchedDatabase
    private let stop: StopSignal
    private let pulse: WorkPulse
    private var access: DatabaseAccess
    private var lastPrune: ContinuousClock.Instant?
    private var lastProblems: Set<String> = []
    private var hasSaidPolling = false
    private var contents = ContentsCount()
    private var countProblem: String?
    /// Stems of files the last pass is done with: their changes end no wait.
    private let settled = Settled()

    private final class Settled: Sendable {
        let stems = Mutex<Set<String>>([])
    }

    init(_ watched: WatchedDatabase, _ stop: StopSignal, _ pulse: WorkPulse) {
        self.watched = watched
        self.stop = stop
        self.pulse = pulse
        access = DatabaseAccess(watched: watched)
    }

    private var plan: DatabasePlan { watched.plan }

    mutating func run() {
        // Watch before the first pass, to miss nothing in between.
        let watches = watchedPaths.map { path in
            DirectoryWatch(path, stopSignal: stop, options: watchOptions)
        }
        while !stop.isStopped {
            let next = pass()
            sayPolling(watches)
            guard !stop.isStopped, next > 0 else { continue }
            if DirectoryWatch.wait(for: watches, stopSignal: stop, seconds: next) == .changed {
                _ = stop.wait(seconds: Self.settleSeconds)
            }
        }
    }

    /// Converts the waiting dumps once.
    ///
    /// - Returns: seconds until the next pass without a notification.
    @discardableResult
    mutating func pass() -> Double {
        pulse.beat()
        defer { pulse.rest() }
        guard let database = access.open(ifMissing: .create) else { return Self.reopenSeconds }
        do throws(DatabaseError) {
            // Before anything is filed with the time of a clock that may be wrong.
            let witness = database.clockWitness()
            var next = plan.options.sweepInterval
            var hasFiled = false
            if plan.options.processesDumps {
                let summary = try sweep(database)
                hasFiled = !summary.reportIDs.isEmpty
                if summary.waitingCount > 0 { next = 0 }
                if summary.busyCount > 0 { next = min(next, Self.busySeconds) }
            }
            // Before any report is removed, also of those that others filed.
            count(try database.allReports().reports, of: database)
            try prune(database, witness, isDue: hasFiled)
            let reports = try database.allReports().reports
            watched.figures.set(contents.update(reports, of: database), of: plan.path)
            return next
        } catch {
            access.complain(CommandFailure(error).sentence)
            return Self.reopenSeconds
        }
    }

    private mutating func count(_ reports: [Report], of database: ReportDatabase) {
        do {
            watched.figures.set(
                try CrashLedger(database: database).counts(with: reports), of: plan.path)
            countProblem = nil
        } catch {
            guard countProblem != error.sentence else { return }
            countProblem = error.sentence
            CollectedNews(database: database, watched: watched).announce(
                problem: "\(plan.path): \(error.sentence)")
        }
    }

    private mutating func sweep(
        _ database: ReportDatabase
    ) throws(DatabaseError) -> SweepSummary {
        var options = DumpSweep.Options()
        options.crashDirectory = plan.options.crashDirectory
        options.attachmentLimitBytes = plan.options.maxAttachmentBytes
        let stop = stop
        let pulse = pulse
        options.shouldStop = { stop.isStopped }
        let added = AddedAnnotations(plan.options.annotations, toReportsOf: nil)
        let summary = try DumpSweep(database, converter: MinidumpConverter(adding: added))
            .run(options, progress: { _, _ in pulse.beat() })
        settled.stems.withLock { stems in
            stems = Set(
                summary.entries.filter { entry in
                    switch entry.outcome {
                    case .stillAlive, .waiting, .busy: false
                    default: true
                    }
                }.map(\.dumpName))
        }
        let news = CollectedNews(database: database, watched: watched)
        var problems: Set<String> = []
        for entry in summary.entries {
            if case .failed(let sentence) = entry.outcome {
                problems.insert(sentence)
                // Silent until the last try or another reason.
                if lastProblems.contains(sentence) { continue }
            }
            news.announce(entry)
        }
        for sentence in summary.lesserProblems {
            problems.insert(sentence)
            if !lastProblems.contains(sentence) { news.announce(problem: sentence) }
        }
        lastProblems = problems
        return summary
    }

    private mutating func prune(
        _ database: ReportDatabase, _ witness: ClockWitness, isDue: Bool
    ) throws(DatabaseError) {
        let now = ContinuousClock.now
        if !isDue, let lastPrune, now - lastPrune < .seconds(Self.pruneSeconds) { return }
        lastPrune = now
        let summary = try database.prune(plan.policy, witness: witness)
        CollectedNews(database: database, watched: watched).announce(summary)
    }

    private var watchedPaths: [String] {
        [plan.path + "/" + DumpSweep.pendingDirectoryName]
            + [plan.options.crashDirectory].compactMap { $0 }
    }

    private var watchOptions: DirectoryWatch.Options {
        var options = DirectoryWatch.Options()
        options.pollSeconds = Self.pollSeconds
        let settled = settled
        options.isInteresting = { name in
            guard let dump = DumpName(name) else { return false }
            return !settled.stems.withLock { $0.contains(dump.stem) }
        }
        return options
    }

    private mutating func sayPolling(_ watches: [DirectoryWatch]) {
        guard !hasSaidPolling, watches.contains(where: \.isPolling) else { return }
        hasSaidPolling = true
        watched.record(
            .polling, .warning,
            "\(plan.path): the kernel cannot watch its dumps, which are looked for every "
                + "\(Int(Self.pollSeconds)) seconds instead; see fs.inotify.max_user_watches and "
                + "max_user_instances in sysctl(8)")
    }
}
