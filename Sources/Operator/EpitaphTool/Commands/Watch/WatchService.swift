// SPDX-License-Identifier: Apache-2.0

import EpitaphService
import EpitaphSystem
import Synchronization

/// Keeps a worker for each database that the configuration names, and does what concerns them all.
final class WatchService {
    /// How often directories of databases are looked through for new ones.
    private static let searchSeconds = 10.0
    /// Work without any progress for so long will not come to an end, and the manager may start the
    /// service again: longer than any wait that a rule of delivery knows.
    private static let silenceSeconds = 3_600.0

    private let source: ConfigurationSource
    private let notification: ServiceNotification
    private var configuration: ServiceConfiguration
    private var log: any ServiceEventSink
    private let figures: ServiceFigures
    private var metrics: MetricsFile
    private var workers: [String: DatabaseWorker] = [:]
    /// Asked to end, but still at work.
    private var leaving: [DatabaseWorker] = []
    private var toldProblems: Set<String> = []

    /// - Parameter configuration: the one that `source` has now, without errors.
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
    ///   - takeReload: whether a reload was asked for since the last call.
    func run(until stop: StopSignal, wake: WakeSignal, takeReload: () -> Bool) {
        search()
        let status = "watching \(workers.count) databases"
        notification.ready(status)
        say(.serviceStarted, .info, "started, \(status)")
        while !stop.isStopped {
            wake.wait(seconds: secondsToWait)
            guard !stop.isStopped else { break }
            if takeReload() { reload() }
            search()
            writeMetrics(isForced: false)
            if workers.values.allSatisfy({ $0.silentSeconds < Self.silenceSeconds }) {
                notification.alive()
            }
        }
        notification.stopping()
        end(wake)
        writeMetrics(isForced: true)
        say(.serviceStopped, .info, "stopped")
    }

    /// Everything once, one database after the other.
    func runOnce(until stop: StopSignal) {
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
        // Those that leave are looked after.
        return leaving.isEmpty ? max(seconds, 0.1) : min(seconds, 1)
    }

    /// Starts on databases that are new, and stops for those that no pattern finds any more.
    private func search() {
        leaving.removeAll(where: \.hasEnded)
        let paths = Set(found())
        for (path, worker) in workers where !paths.contains(path) {
            dismiss(worker)
            figures.set(nil, of: path)
        }
        for path in paths.sorted() where workers[path] == nil {
            // Two workers at once would do no harm, but they would only wait for each other.
            guard !leaving.contains(where: { $0.watched.path == path }) else { continue }
            attempt(path) { () throws(SystemError) in
                let worker = try makeWorker(path)
                try worker.start()
                workers[path] = worker
            }
        }
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

    /// What cannot be done now, for want of threads or descriptors, is tried again.
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
            return notification.ready("watching \(workers.count) databases, configuration refused")
        }
        configuration = candidate
        log = source.log(candidate.service)
        metrics = MetricsFile(candidate.service)
        toldPlanProblems = []
        // Files that the configuration names may have changed as well: every database starts afresh.
        workers.values.forEach { dismiss($0) }
        search()
        let count = workers.count + leaving.count
        notification.ready("watching \(count) databases")
        say(.serviceStarted, .info, "read the configuration again, watching \(count) databases")
    }

    /// Waits for the threads; the signals' own thread ends the process when that takes too long.
    private func end(_ wake: WakeSignal) {
        workers.values.forEach { dismiss($0) }
        while !leaving.isEmpty {
            leaving.removeAll(where: \.hasEnded)
            if !leaving.isEmpty { wake.wait(seconds: 0.05) }
        }
    }

    private func writeMetrics(isForced: Bool) {
        guard let sentence = metrics.write(figures, isForced: isForced) else { return }
        guard toldProblems.insert(sentence).inserted else { return }
        say(.databaseProblem, .warning, sentence)
    }

    private func say(_ message: ServiceMessage, _ priority: ServicePriority, _ sentence: String) {
        log.record(ServiceEvent(message, priority, sentence))
    }
}

/// Where the configuration is read from, and what of the environment it needs.
struct ConfigurationSource {
    let path: String
    let isNamed: Bool
    private let credentials: String?
    private let journalStream: String?
    /// Whether a pass waits for a server that is not there.
    var isPatient = true

    init(_ path: String?) {
        self.path = path ?? ServiceConfiguration.usualPath
        isNamed = path != nil
        credentials = CurrentProcess.environmentVariable("CREDENTIALS_DIRECTORY")
        journalStream = CurrentProcess.environmentVariable("JOURNAL_STREAM")
    }

    /// The configuration as it is now, and everything that is wrong with it.
    func read() -> (ServiceConfiguration, [ServiceProblem]) {
        let configuration = ServiceConfiguration(readingFrom: path, isNamed: isNamed)
        guard !configuration.hasErrors else { return (configuration, configuration.problems) }
        var maker = planMaker(configuration)
        // Databases that a pattern will find have the settings of one that it might find now.
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
