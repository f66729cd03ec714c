// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Reports changes of the machine. Its thread sleeps until something happens.
    ///
    /// It changes nothing in the program and handles no signals: the program calls `note(_:)` for
    /// anything else.
    public final class SystemEventWatch: Sendable {
        private let stopSignal: StopSignal
        private let filter: ForkSafeMutex<EventFilter>
        private let clock: SystemStoppableClock
        private let onEvent: @Sendable (SystemEvent) -> Void
        private let isOver = Atomic(false)
        /// A source that is always readable, such as a failing one, must not keep the thread busy.
        private static let pauseSeconds = 0.05

        /// - Parameter onEvent: called on the watching thread, or on the thread that notes an
        ///   event.
        /// - Throws: `SystemError` if there is no thread or file descriptor left. A source that is
        ///   not available causes an event `sourceOff`, not an error.
        package init(
            _ options: SystemEventOptions = SystemEventOptions(),
            sources: SystemSources = SystemSources(),
            onEvent: @escaping @Sendable (SystemEvent) -> Void
        ) throws(SystemError) {
            let stopSignal = try StopSignal()
            self.stopSignal = stopSignal
            self.onEvent = onEvent
            clock = SystemStoppableClock(stopSignal: stopSignal)
            filter = ForkSafeMutex(EventFilter(options))
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

        /// Reports an event of the program, filtered like the others.
        public func note(_ event: SystemEvent) {
            guard !isOver.load(ordering: .acquiring) else { return }
            let seconds = clock.monotonicSeconds()
            let told = filter.withLock { $0.passed(event, seconds: seconds) }
            if let told { onEvent(told) }
        }

        /// Reports that the program read its configuration again.
        public func noteConfigurationReload(_ words: String = "the configuration was read again") {
            note(SystemEvent(.configuration, .info, words))
        }

        /// Reports a signal that the program received by its own handler or signalfd(2).
        public func noteSignal(_ signal: Signal) {
            note(
                SystemEvent(
                    .signal, .info, "signal \(signal) came",
                    details: ["signal": signal.description]))
        }

        /// Stops watching, with a last event.
        public func stop() {
            note(SystemEvent(.stopped, .debug, "system events are watched no more"))
            isOver.store(true, ordering: .releasing)
            stopSignal.stop()
        }
    }
}
