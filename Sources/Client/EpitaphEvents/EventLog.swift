// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Records events in a directory of the database, hands them to observers, and sends them.
    ///
    /// Events wait in memory until a batch of fifty is full or half a second has passed. A batch
    /// goes to disk, then to observers, then to the server if there is a destination, oldest batch
    /// first, including those of earlier launches: docs/events.md. `record` costs an append under a
    /// lock; it never waits for the disk, the network or an observer.
    public final class EventLog: EventRecorder, Sendable {
        /// The id of this launch, part of every event.
        public let launchID: Epitaph.ID
        /// The context of events; each event gets a copy when it is recorded.
        public let context: CurrentContext
        private let databasePath: String
        private let options: EventLogOptions
        private let writer: EventWriter
        private let sending: SendingThread
        private let tally = EventTally()
        private let thread = OneThread()

        /// Creates a log without opening or starting anything. Recorded events wait.
        ///
        /// - Parameters:
        ///   - databasePath: must exist when the first events are written.
        ///   - clock: the system's clock if nil.
        /// - Throws: if the process has no file descriptor left.
        package init(
            inDatabase databasePath: String, options: EventLogOptions = EventLogOptions(),
            context: CurrentContext = CurrentContext(), launchID: Epitaph.ID = Epitaph.ID(),
            clock: (any StoppableClock)? = nil
        ) throws(Refusal) {
            self.databasePath = databasePath
            self.options = options
            self.context = context
            self.launchID = launchID
            let tally = tally
            let sending = try attempt(SendingThread())
            self.sending = sending
            let clock = clock ?? SystemStoppableClock(stopSignal: sending.stopSignal)
            writer = try attempt(
                try EventWriter(
                    databasePath: databasePath, launchID: launchID, options: options,
                    context: context, clock: clock, tally: tally, didWrite: sending.wake.give))
        }

        deinit {
            guard writer.isOwn else { return }
            writer.close()
            sending.stop()
        }

        /// Starts the writing thread; does nothing if already started.
        ///
        /// - Throws: if no thread can be started. Events then go on waiting.
        public func start() throws(Refusal) {
            guard writer.isOwn else { throw .eventsOfParent }
            let writer = writer
            try attempt(thread.start("epitaph-events") { writer.run() })
        }

        @discardableResult
        public func record(_ payload: EventPayload) -> Bool {
            writer.record(payload)
        }

        /// Hands future events to an observer. The log retains it until the subscription is
        /// cancelled.
        @discardableResult
        public func addObserver(_ observer: any EventObserver) -> EventSubscription<Event> {
            addObserver { try observer.didRecord($0) }
        }

        @discardableResult
        public func addObserver(
            _ body: @escaping @Sendable (Event) throws -> Void
        ) -> EventSubscription<Event> {
            let subscription = EventSubscription(
                name: "epitaph-observe", limit: options.observerLimit, body)
            if writer.isOwn { writer.observers.add(subscription) }
            return subscription
        }

        /// Starts the sending thread; does nothing if already started.
        ///
        /// - Parameters:
        ///   - hasConsent: called before each request, on that thread. While it returns false,
        ///     events stay on disk, up to their limits.
        ///   - makeTransport: called for the first request, and again for the next one if it
        ///     throws.
        /// - Throws: if no thread can be started.
        package func startSending(
            to destination: any EventDestination, hasConsent: @escaping @Sendable () -> Bool,
            makeTransport: @escaping @Sendable () throws(TransportError) -> any Transport
        ) throws(Refusal) {
            guard writer.isOwn else { throw .eventsOfParent }
            let (path, options, clock) = (databasePath, options, writer.clock)
            let tally = tally
            try attempt(
                try sending.start {
                    EventSender(
                        databasePath: path, to: destination, by: LazyTransport(make: makeTransport),
                        options: options, clock: clock, hasConsent: hasConsent, tally: tally)
                })
        }

        public var status: EventLogStatus { tally.present }

        /// Writes everything recorded so far, also if the log has not been started yet.
        ///
        /// - Returns: whether that was tried in time; `status` has the result. False at once if the
        ///   log was stopped, belongs to the parent of this process, or cannot be started.
        @discardableResult
        public func flush(within time: Duration = .seconds(5)) -> Bool {
            guard (try? start()) != nil, let signal = try? StopSignal(), writer.flush(signal)
            else { return false }
            return signal.wait(seconds: time.inSeconds)
        }

        /// Writes waiting events and ends the threads. The next launch sends unsent events. A
        /// stopped log accepts no more events.
        ///
        /// - Parameter time: the longest wait for the disk, observers and a request in progress.
        ///   Anything slower ends by itself later.
        /// - Returns: whether everything has ended.
        @discardableResult
        public func stop(within time: Duration = .seconds(2)) -> Bool {
            guard writer.isOwn else { return false }
            let clock = ContinuousClock()
            let deadline = clock.now + time.clamped(to: .zero ... .seconds(86_400))
            func left() -> Double { max((deadline - clock.now) / .seconds(1), 0) }
            writer.close()
            sending.stop()
            // A program may end before its launch has started the log.
            if writer.hasWaiting, (try? start()) == nil { return false }
            guard thread.isStarted else { return sending.waitForEnd(left()) }
            guard writer.waitForEnd(seconds: left()), sending.waitForEnd(left()),
                let pause = try? StopSignal()
            else { return false }
            while writer.observers.areBusyElsewhere {
                guard left() > 0 else { return false }
                _ = pause.wait(seconds: min(left(), 0.005))
            }
            return true
        }
    }
}
