// SPDX-License-Identifier: Apache-2.0

import EpitaphService
import EpitaphSystem
import EpitaphValues
import Synchronization

/// Keeps a worker for each configured database, and does the work common to all.
final class WatchService {
    /// Interval of searches for new databases.
    private static let searchSeconds = 10.0
    /// Work without progress for so long is stuck, and the manager may restart the service. Longer
    /// than any wait of a delivery rule.
    private static let silenceSeconds = 3_600.0

    private let source: ConfigurationSource
    private let notification: ServiceNotification
    private var configuration: ServiceConfiguration
    private var log: any ServiceEventSink
    private let figures: ServiceFigures
    private var metrics: MetricsFile
    private var workers: [String: DatabaseWorker] = [:]
    /// Workers asked to end.
    private var leaving: [DatabaseWorker] = []
    private var cores: StoredCoresWorker?
    private var leavingCores: [StoredCoresWorker] = []
    private var toldProblems: Set<String> = []

    /// - Parameter configuration: as in `source` now, without errors.
    init(
        _ configuration: ServiceConfiguration, from source: ConfigurationSource,
        log: any ServiceEventSink, notification: ServiceNotification
    ) {
        self.configuration = configuration
        self.source = source
        self.log = log
        self.notification = notification
        metrics = MetricsFile(configuration.service)
        figures = ServiceFigures(continuing: metrics.earlierText)
    }

    /// Works until stopped.
    ///
    /// - Parameters:
    ///   - wake: ends a wait, for a reload or the end.
    ///   - takeReload: whether a reload was requested since the last call.
    func run(until stop: StopSignal, wake: WakeSignal, takeReload: () -> Bool) {
        search()
        let status = "watching \(counted(workers.count, "database"))"
        notification.ready(status)
        say(.serviceStarted, .info, "started, \(status)")
        while !stop.isStopped {
            wake.wait(seconds: secondsToWait)
            guard !stop.isStopped else { break }
            if takeReload() { reload() }
            search()
            writeMetrics(isForced: false)
            if workers.values.allSatisfy({ $0.silentSeconds < Self.silenceSeconds }),
                (cores?.silentSeconds ?? 0) < Self.silenceSeconds
            {
                notification.alive()
            }
        }
        notification.stopping()
        end(wake)
        writeMetrics(isForced: true, isUp: false)
        say(.serviceStopped, .info, "stopped")
    }

    /// Does everything once, one database after the other.
    func runOnce(until stop: StopSignal) {
        if let directory = configuration.service.coreDirectory {
            attempt(directory) { () throws(SystemError) in
                try StoredCoresWorker(directory, log: log).pass(until: stop)
            }
        }
        for path in found() where !stop.isStopped {
            attempt(path) { () throws(SystemError) in
                try makeWorker(path).runOnce(stoppedBy: stop)
            }
        }
        writeMetrics(isForced: true)
    }

    private var secondsToWait: Double {
        var seconds = Self.searchSeconds
        if metrics.path != nil { seconds = min(seconds, configuration.service.metricsInterval) }
        if let watchdog = notification.watchdogSeconds { seconds = min(seconds, watchdog / 2) }
        // Poll workers that are ending.
        return isAnyLeaving ? min(seconds, 1) : max(seconds, 0.1)
    }

    private var isAnyLeaving: Bool { !leaving.isEmpty || !leavingCores.isEmpty }

    /// Starts workers for new databases, ends those that no pattern finds any more.
    private func search() {
        forgetEnded()
        watchCores()
        let paths = Set(found())
        for (path, worker) in workers where !paths.contains(path) {
            dismiss(worker)
            figures.set(nil, of: path)
        }
        for path in paths.sorted() where workers[path] == nil {
            // Two workers would do no harm, but only wait for each other.
            guard !leaving.contains(where: { $0.watched.path == path }) else { continue }
            attempt(path) { () throws(SystemError) in
                let worker = try makeWorker(path)
                try worker.start()
                workers[path] = worker
            }
        }
    }

    private func forgetEnded() {
        leaving.removeAll(where: \.hasEnded)
        leavingCores.removeAll(where: \.hasEnded)
    }

    private func watchCores() {
        guard cores == nil, leavingCores.isEmpty,
            let directory = configuration.service.coreDirectory
        else { return }
        attempt(directory) { () throws(SystemError) in
            let worker = try StoredCoresWorker(directory, log: log)
            try worker.start()
            cores = worker
        }
    }

    private func dismissCores() {
        guard let cores else { return }
        cores.end()
        leavingCores.append(cores)
        self.cores = nil
    }

    private func found() -> [String] {
        let (paths, problems) = configuration.databases()
        for problem in problems where toldProblems.insert(problem).inserted {
            say(.databaseProblem, .error, problem)
        }
        toldProblems.formIntersection(problems)
        return paths
    }

    private func makeWorker(_ path: String) throws(SystemError) -> DatabaseWorker {
        var maker = source.planMaker(configuration)
        let plan = maker.plan(for: path)
        for problem in maker.problems where toldPlanProblems.insert("\(problem)").inserted {
            say(.configurationWarning, problem.isWarning ? .warning : .error, "\(problem)")
        }
        return try DatabaseWorker(WatchedDatabase(plan: plan, log: log, figures: figures))
    }

    private var toldPlanProblems: Set<String> = []

    /// Failures for want of threads or descriptors are retried at the next search.
    private func attempt(_ path: String, _ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
        } catch {
            let sentence = "\(path) cannot be watched: \(error)"
            guard toldPlanProblems.insert(sentence).inserted else { return }
            say(.databaseProblem, .error, sentence)
        }
    }

    private func dismiss(_ worker: DatabaseWorker) {
        worker.end()
        workers[worker.watched.path] = nil
        leaving.append(worker)
    }

    private func reload() {
        notification.reloading(monotonicMicroseconds: MonotonicClock.microseconds())
        let (candidate, problems) = source.read()
        for problem in problems {
            say(
                problem.isWarning ? .configurationWarning : .configurationRefused,
                problem.isWarning ? .warning : .error, "\(problem)")
        }
        guard !problems.contains(where: { !$0.isWarning }) else {
            say(
                .configurationRefused, .error,
                "the configuration cannot be used; the earlier one stays in force")
            return notification.ready(
                "watching \(counted(workers.count, "database")), configuration refused")
        }
        configuration = candidate
        log = source.log(candidate.service)
        metrics = MetricsFile(candidate.service)
        toldPlanProblems = []
        // Files that the configuration names may have changed, too: restart all.
        workers.values.forEach { dismiss($0) }
        dismissCores()
        search()
        let watched = counted(workers.count + leaving.count, "database")
        notification.ready("watching \(watched)")
        say(.serviceStarted, .info, "read the configuration again, watching \(watched)")
    }

    /// Waits for the threads; the signal thread ends the process if that takes too long.
    private func end(_ wake: WakeSignal) {
        workers.values.forEach { dismiss($0) }
        dismissCores()
        while isAnyLeaving {
            forgetEnded()
            if isAnyLeaving { wake.wait(seconds: 0.05) }
        }
    }

    private func writeMetrics(isForced: Bool, isUp: Bool = true) {
        guard let sentence = metrics.write(figures, isForced: isForced, isUp: isUp) else { return }
        guard toldProblems.insert(sentence).inserted else { return }
        say(.databaseProblem, .warning, sentence)
    }

    private func say(_ message: ServiceMessage, _ priority: ServicePriority, _ sentence: String) {
        log.record(ServiceEvent(message, priority, sentence))
    }
}

/// The configuration file and the environment it needs.
struct ConfigurationSource {
    let path: String
    let isNamed: Bool
    private let credentials: String?
    private let journalStream: String?
    /// Whether a pass waits for an unreachable server.
    var isPatient = true

    init(_ path: String?) {
        self.path = path ?? ServiceConfiguration.usualPath
        isNamed = path != nil
        credentials = CurrentProcess.environmentVariable("CREDENTIALS_DIRECTORY")
        journalStream = CurrentProcess.environmentVariable("JOURNAL_STREAM")
    }

    /// The current configuration and all its problems.
    func read() -> (ServiceConfiguration, [ServiceProblem]) {
        let configuration = ServiceConfiguration(readingFrom: path, isNamed: isNamed)
        guard !configuration.hasErrors else { return (configuration, configuration.problems) }
        var maker = planMaker(configuration)
        // A database that a pattern finds later has the settings of one it might find now.
        let paths =
            configuration.patterns.map(\.path) + configuration.databases().paths
        for path in Set(paths).sorted() { _ = maker.plan(for: path) }
        return (configuration, configuration.problems + maker.problems)
    }

    func planMaker(_ configuration: ServiceConfiguration) -> PlanMaker {
        PlanMaker(
            configuration: configuration, path: path, credentials: credentials,
            isPatient: isPatient)
    }

    func log(_ options: ServiceOptions) -> any ServiceEventSink {
        ServiceLog(options.log, journalStream: journalStream)
    }
}
