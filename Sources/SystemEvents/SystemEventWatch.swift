// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Tells what happens to the machine around a program, from one thread that sleeps until something
/// does.
///
/// It changes nothing in the program: signals are the program's own, which says with `note(_:)`
/// what it wants to have among the events.
public final class SystemEventWatch: Sendable {
    private let stopSignal: StopSignal
    private let filter: Mutex<EventFilter>
    private let clock: SystemStoppableClock
    private let onEvent: @Sendable (SystemEvent) -> Void
    private let isOver = Atomic(false)
    /// A source that is always ready, as one that fails, keeps nobody busy.
    private static let pauseSeconds = 0.05

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - options: which events are wanted.
    ///   - sources: where they come from.
    ///   - onEvent: called on the watching thread, or on the one that notes an event.
    /// - Throws: `SystemError` where there is no thread or descriptor left. A source that cannot be
    ///   had is an event of the kind `sourceOff` and no error.
    public init(
        _ options: SystemEventOptions = SystemEventOptions(),
        sources: SystemSources = SystemSources(),
        onEvent: @escaping @Sendable (SystemEvent) -> Void
    ) throws(SystemError) {
        let stopSignal = try StopSignal()
        self.stopSignal = stopSignal
        self.onEvent = onEvent
        clock = SystemStoppableClock(stopSignal: stopSignal)
        filter = Mutex(EventFilter(options))
        try BackgroundThread.start("epitaph-system") { [weak self] in
            let (open, off) = sources.open(options.kinds)
            self?.note(SystemEvent(.started, .debug, "system events are watched"))
            off.forEach { self?.note($0) }
            let awaited = open.map { Awaited($0.file, .input) }
            while true {
                let readiness = stopSignal.wait(seconds: 86_400, for: awaited)
                if readiness == .stopped { break }
                guard case .ready(let places) = readiness else { continue }
                let events = places.flatMap { open[$0].read() }
                guard let self else { return }
                events.forEach { self.note($0) }
                if events.isEmpty { self.clock.wait(seconds: Self.pauseSeconds) }
            }
        }
    }

    deinit { stopSignal.stop() }

    /// Tells an event of the program's own, as the others are told: what it chose, and not too many.
    public func note(_ event: SystemEvent) {
        guard !isOver.load(ordering: .acquiring) else { return }
        let seconds = clock.monotonicSeconds()
        let told = filter.withLock { $0.passed(event, seconds: seconds) }
        if let told { onEvent(told) }
    }

    /// Tells that the program has read its configuration again.
    public func noteConfigurationReload(_ words: String = "the configuration was read again") {
        note(SystemEvent(.configuration, .info, words))
    }

    /// Tells that the program has got a signal, as its handler or signalfd(2) says.
    ///
    /// - Parameter name: `SIGHUP`
    public func noteSignal(_ name: String) {
        note(SystemEvent(.signal, .info, "signal \(name) came", details: ["signal": name]))
    }

    /// Ends the watch. Nothing is told after the event that says so.
    public func stop() {
        note(SystemEvent(.stopped, .debug, "system events are watched no more"))
        isOver.store(true, ordering: .releasing)
        stopSignal.stop()
    }
}
