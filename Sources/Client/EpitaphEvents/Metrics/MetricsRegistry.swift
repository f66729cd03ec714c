// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Named counters and durations, reported per second and per reporting period.
    ///
    ///     let served = metrics.counter("requests")     // once
    ///     served.increment()                            // each time
    ///
    /// A thread computes the figures each second. A period with changes ends with an event.
    public final class MetricsRegistry: Sendable {
        fileprivate struct State {
            var counters: [String: EventCounter] = [:]
            var meters: [String: DurationMeter] = [:]
            var refusedNames: UInt64 = 0
        }

        private let options: MetricsOptions
        private let recorder: any EventRecorder
        private let clock: any StoppableClock
        private let stopSignal: StopSignal
        private let thread = OneThread()
        private let registry = ForkSafeMutex(State())
        private let window: ForkSafeMutex<MetricsWindow>
        private let processID = ProcFileSystem.ownProcessID

        /// - Throws: if the process has no file descriptor left.
        package init(
            recorder: any EventRecorder, options: MetricsOptions = MetricsOptions(),
            clock: (any StoppableClock)? = nil
        ) throws(SystemError) {
            self.recorder = recorder
            self.options = options
            stopSignal = try StopSignal()
            self.clock = clock ?? SystemStoppableClock(stopSignal: stopSignal)
            window = ForkSafeMutex(MetricsWindow(at: self.clock.monotonicSeconds()))
        }

        deinit {
            stopSignal.stop()
        }

        /// The counter with this name. Keep it: the lookup takes a lock.
        ///
        /// - Parameter name: at most 100 bytes, and at most `MetricsOptions.nameLimit` names. A
        ///   refused name gets a counter that works but is in no event; `refusedNameCount` counts
        ///   them.
        public func counter(_ name: String) -> EventCounter {
            registry.withLock { registry in
                if let counter = registry.counters[name] { return counter }
                let counter = EventCounter(name: name)
                if registry.takes(name, limit: options.nameLimit) {
                    registry.counters[name] = counter
                }
                return counter
            }
        }

        /// The meter for durations of this name; the rules of `counter(_:)` apply.
        public func durations(_ name: String) -> DurationMeter {
            registry.withLock { registry in
                if let meter = registry.meters[name] { return meter }
                let meter = DurationMeter(name: name)
                if registry.takes(name, limit: options.nameLimit) { registry.meters[name] = meter }
                return meter
            }
        }

        /// How often a name was refused.
        public var refusedNameCount: UInt64 { registry.withLock { $0.refusedNames } }

        /// Starts the thread; does nothing if already started.
        public func start() throws(SystemError) {
            let stopSignal = stopSignal
            try thread.start("epitaph-metrics") { [weak self] in
                var second = 0
                while !stopSignal.wait(seconds: 1) {
                    second += 1
                    // The thread ends when this object is released.
                    guard let self else { return }
                    self.look()
                    if second >= Int(self.options.reportInterval.inSeconds) {
                        second = 0
                        self.report()
                    }
                }
            }
        }

        /// Stops the thread and records an event for the rest. Counters go on counting.
        public func stop() {
            stopSignal.stop()
            // The mutex may have been locked when the process was forked.
            guard ProcFileSystem.ownProcessID == processID else { return }
            look()
            report()
        }

        /// The figures since the last event, up to the last full second.
        public var snapshot: MetricsDetails { window.withLock { $0.details } }

        func look() {
            let (counters, meters) = registry.withLock { ($0.counters, $0.meters) }
            let reading = MetricsWindow.Reading(
                counters: counters.mapValues(\.total), durations: meters.mapValues(\.reading))
            let time = clock.monotonicSeconds()
            window.withLock { $0.look(reading, at: time) }
        }

        func report() {
            let details = window.withLock { window in
                defer { window.startReport() }
                return window.details
            }
            guard !details.counters.isEmpty || !details.durations.isEmpty else { return }
            for part in details.parts() { recorder.record(.metrics(part)) }
        }
    }
}

extension MetricsRegistry.State {
    fileprivate mutating func takes(_ name: String, limit: Int) -> Bool {
        let takes =
            !name.isEmpty && name.utf8.count <= 100 && counters.count + meters.count < limit
        if !takes { refusedNames += 1 }
        return takes
    }
}

extension Epitaph {
    /// Options of metrics. Values out of range are clamped.
    public struct MetricsOptions: Sendable, Equatable {
        /// Time between events, in whole seconds, 1 s to a day.
        public var reportInterval = Duration.seconds(10) {
            didSet { reportInterval = reportInterval.clamped(to: .seconds(1) ... .seconds(86_400)) }
        }
        /// Limit on different names, 1 to 10,000.
        public var nameLimit = 500 { didSet { nameLimit = min(max(nameLimit, 1), 10_000) } }

        public init() {}
    }
}

extension MetricsDetails {
    /// The same figures in parts of at most 100 names, because the size of an event is limited.
    func parts() -> [MetricsDetails] {
        var parts: [MetricsDetails] = []
        var part = MetricsDetails(intervalSeconds: intervalSeconds, counters: [:], durations: [:])
        func isFull() -> Bool { part.counters.count + part.durations.count >= 100 }
        func close() {
            parts.append(part)
            part.counters = [:]
            part.durations = [:]
        }
        for (name, count) in counters.inKeyOrder {
            part.counters[name] = count
            if isFull() { close() }
        }
        for (name, value) in durations.inKeyOrder {
            part.durations[name] = value
            if isFull() { close() }
        }
        if !part.counters.isEmpty || !part.durations.isEmpty { close() }
        return parts
    }
}
