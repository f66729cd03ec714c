// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphEvents
import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

final class RunningParts: Sendable {
    let context: CurrentContext
    let events: EventLog?
    let sessions: SessionTracker?
    let metrics: MetricsRegistry?
    let logs: LogRouter?
    let requests: RequestMonitor?
    let navigation: NavigationTracker?
    let errors: ErrorReports?
    let watches: RunningWatches
    let handlers: HandlerWatch
    let problems: [String]
    private let configuration: Epitaph.Configuration
    private let launchID = Epitaph.ID()

    init(_ configuration: Epitaph.Configuration, reporter: CrashReporter) {
        self.configuration = configuration
        let options = configuration.parts
        var problems: [String] = []
        func made<Part>(_ name: String, _ make: () throws -> Part?) -> Part? {
            do {
                return try make()
            } catch {
                problems.append("\(name) cannot be had: \(error)")
                return nil
            }
        }
        let context = CurrentContext(configuration.firstContext)
        let launchID = launchID
        let events = made("events") {
            try options.events.map {
                try EventLog(
                    inDatabase: configuration.databasePath, options: $0, context: context,
                    launchID: launchID)
            }
        }
        let recorder: any EventRecorder = events ?? NoEvents()
        sessions = made("sessions") {
            try options.sessions.map {
                try SessionTracker(
                    inDatabase: configuration.databasePath, bundleID: configuration.bundleID,
                    options: $0, context: context, recorder: recorder,
                    endings: LaunchHistory(reporter: reporter), launchID: launchID)
            }
        }
        metrics = made("metrics") {
            try options.metrics.map { try MetricsRegistry(recorder: recorder, options: $0) }
        }
        // Without events nothing is measured, so no clock is made: it takes file descriptors.
        let clock = made("requests and navigation") {
            try events.map { _ in SystemStoppableClock(stopSignal: try StopSignal()) }
        }
        logs = LogRouter(
            options.logFilter, recorder: recorder, clock: clock ?? NoClock(),
            addBreadcrumb: {
                Epitaph.note($0.message, $0.level, category: $0.tag, attributes: $0.metadata)
            })
        requests = clock.map {
            RequestMonitor(recorder: recorder, options: options.requests, clock: $0)
        }
        navigation = clock.map { NavigationTracker(recorder: recorder, clock: $0) }
        let sessions = sessions
        let handlers = HandlerWatch(log: configuration.log)
        self.handlers = handlers
        errors = options.handledErrors.map {
            reporter.errorReports(options: $0) { notice in
                _ = recorder.record(.handledError(notice.details))
                sessions?.noteHandledError(count: notice.count)
                handlers.look()
            }
        }
        watches = RunningWatches(options, reporter: reporter) { _ = recorder.record($0) }
        self.context = context
        self.events = events
        self.problems = problems
    }

    /// - Parameter sendsEvents: whether events may be sent at all; consent is still checked each
    ///   time.
    func start(_ reporter: CrashReporter, sendsEvents: Bool) {
        attempt("events") { try events?.start() }
        attempt("sessions") { try sessions?.start() }
        attempt("metrics") { try metrics?.start() }
        errors?.prepare()
        watches.start(log: configuration.log)
        if sendsEvents, let events, let destination = configuration.parts.eventDestination {
            let transport = configuration.uploads.transport
            attempt("events") {
                try events.startSending(
                    to: destination,
                    hasConsent: { (try? reporter.areUploadsEnabled()) ?? false },
                    makeTransport: { () throws(TransportError) in try CurlTransport(transport) })
            }
        }
    }

    /// Waits at most two seconds for each part, one after the other.
    func stop() {
        watches.stop()
        errors?.stop()
        metrics?.stop()
        _ = sessions?.stop()
        _ = events?.stop()
    }

    func record(_ payload: EventPayload) {
        _ = events?.record(payload)
    }

    /// Call this once the dumps of earlier launches were swept: only then are their ends known.
    func noteEarlierLaunches(lastEnd: String?) {
        record(.lifecycle(LifecycleDetails(phase: .started, lastEnd: lastEnd)))
        sessions?.lookAtEarlierLaunches()
    }

    private func attempt(_ name: String, _ start: () throws -> Void) {
        do {
            try start()
        } catch {
            configuration.log("\(name) cannot be had: \(error)")
        }
    }
}

/// Tells sessions how launches ended.
private struct LaunchHistory: LaunchEndings {
    let reporter: CrashReporter

    func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding? {
        let ending = try? reporter.withDatabase { database in
            RecordedEndings(database).ending(of: process, bundleID: bundleID)
        }
        return ending ?? nil
    }
}

private struct NoEvents: EventRecorder {
    func record(_ payload: EventPayload) -> Bool { false }
}

private struct NoClock: StoppableClock {
    var isStopped: Bool { true }
    func now() -> Timestamp { SystemWallClock().now() }
    func monotonicSeconds() -> Double { 0 }
    func wait(seconds: Double) {}
}

extension Epitaph.Configuration {
    fileprivate var firstContext: Context {
        var context = parts.context
        context.program = context.program ?? bundleID
        context.version = context.version ?? annotations["ver"]
        return context
    }
}
