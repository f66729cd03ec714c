// SPDX-License-Identifier: Apache-2.0

import EpitaphService
import EpitaphSystem
import Synchronization

enum WatchCommand {
    /// Seconds for the threads after a request to stop, then the signal ends the process. Less than
    /// TimeoutStopSec= of the unit.
    private static let graceSeconds = 4

    static let description = CommandDescription(
        name: "watch",
        abstract: "convert, keep and send the crashes of several databases; for a service",
        discussion: """
            Notices dumps in the databases that FILE names, turns them into reports as they come,
            keeps each database within its limits and sends reports where that is allowed, until
            SIGTERM or SIGINT. Without a configuration it watches the databases in
            /var/lib/epitaph, and picks up new ones within seconds. Each database has threads of
            its own: a server that stalls holds up no other, and no conversion.

            SIGHUP makes it read the configuration again. One with errors is named, and the
            earlier one stays in force; at the start it is an error. docs/service.md describes the
            configuration, "\(ProgramDescription.name) config check" checks it.

            What happens is written to the journal with fields, or else to standard error with
            priorities that systemd understands. With Type=notify it tells the manager when it is
            ready, and that it is alive.
            """,
        operands: [],
        options: [config, once],
        examples: [
            .init("watch", "works by /etc/epitaph/epitaph.conf and the files in epitaph.conf.d."),
            .init("watch --once", "does the same once, for a timer or a container."),
        ],
        run: run)

    static let config = OptionDescription(
        "config", value: "FILE", kind: .file,
        "read this configuration, and *.conf in the directory FILE.d; default: "
            + ServiceConfiguration.usualPath)
    private static let once = OptionDescription(
        "once", "do what there is to do now, and end")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let source = ConfigurationSource(arguments.value(of: config))
        let (configuration, problems) = source.read()
        let log = source.log(configuration.service)
        for problem in problems {
            log.record(
                ServiceEvent(
                    problem.isWarning ? .configurationWarning : .configurationRefused,
                    problem.isWarning ? .warning : .error, "\(problem)"))
        }
        guard problems.allSatisfy(\.isWarning) else {
            throw CommandFailure(.incomplete, "the configuration cannot be used")
        }
        try orFail(
            arguments.has(once)
                ? runOnce(configuration, source, output) : watch(configuration, source))
    }

    private static func watch(
        _ configuration: ServiceConfiguration, _ source: ConfigurationSource
    ) throws(SystemError) {
        let stop = try StopSignal()
        let wake = WakeSignal()
        let reload = ReloadRequest()
        try TerminationSignals.stop(
            stop, graceSeconds: graceSeconds, then: { wake.give() },
            hangup: {
                reload.isGiven.store(true, ordering: .releasing)
                wake.give()
            })
        let service = WatchService(
            configuration, from: source, log: source.log(configuration.service),
            notification: notification)
        service.run(until: stop, wake: wake) {
            reload.isGiven.exchange(false, ordering: .acquiringAndReleasing)
        }
    }

    private static func runOnce(
        _ configuration: ServiceConfiguration, _ source: ConfigurationSource, _ output: Output
    ) throws(SystemError) {
        let stop = try StopSignal()
        try TerminationSignals.stop(stop, graceSeconds: graceSeconds)
        let log = CountedLog(source.log(configuration.service))
        var source = source
        source.isPatient = false
        let service = WatchService(
            configuration, from: source, log: log, notification: notification)
        service.runOnce(until: stop)
        if log.hasErrors { output.fail() }
    }

    private static var notification: ServiceNotification {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        let pairs = names.compactMap { name in
            CurrentProcess.environmentVariable(name).map { (name, $0) }
        }
        return ServiceNotification(
            environment: Dictionary(uniqueKeysWithValues: pairs),
            processID: ProcFileSystem.ownProcessID)
    }

    private final class ReloadRequest: Sendable {
        let isGiven = Atomic(false)
    }

    /// Counts errors for the exit status.
    private final class CountedLog: ServiceEventSink {
        private let log: any ServiceEventSink
        private let errors = Atomic(0)

        init(_ log: any ServiceEventSink) {
            self.log = log
        }

        var hasErrors: Bool { errors.load(ordering: .acquiring) > 0 }

        func record(_ event: ServiceEvent) {
            if event.priority == .error { errors.add(1, ordering: .releasing) }
            log.record(event)
        }
    }
}
