// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphSystem
import EpitaphValues
import Glibc
import Synchronization

extension Epitaph {
    /// Makes reports of errors that the program handled.
    ///
    /// A call copies the caller's stack and returns; a separate thread does the rest, from
    /// `prepare` or the first error until `stop`. Memory use is bounded however many errors come,
    /// and dropped errors are counted.
    public final class ErrorReports: Sendable {
        /// How many handled errors got no report, and why.
        public struct Losses: Sendable, Equatable {
            /// There were too many within one minute.
            public var tooMany = 0
            /// Too many were waiting.
            public var queueIsFull = 0
            /// They were still waiting when `stop` was called.
            public var stopped = 0
            /// The report could not be made or filed.
            public var notFiled = 0
        }

        let options: HandledErrorOptions
        let process: any HandledErrorProcess
        let clock: any WallClock
        let observer: HandledErrorObserver?
        let repeats = RepeatCounters()
        private let droppedCount = Atomic(0)
        /// How many errors without a report may be remembered now, against floods.
        let memoryLeft: Atomic<Int>
        private let owner = epitaph_caller_process()
        private let start = ContinuousClock.now
        let state: ForkSafeMutex<State>
        let work = WakeSignal()
        /// pthread_self(3) of the thread that makes reports; 0 before it runs.
        let worker = Atomic<UInt>(0)
        /// Nil without a free file descriptor: then `stop` does not wait.
        let hasEnded: StopSignal?

        struct State {
            var flood: FloodControl
            var queue: [ErrorJob] = []
            var recent = RecentErrors()
            /// To be described and added to `recent`.
            var unread: [UnreadError] = []
            /// When `memoryLeft` was last made full.
            var refillSeconds = 0.0
            var firsts = FirstErrors()
            var losses = Losses()
            /// Ids made in advance, because making one takes several system calls.
            var ids: [Epitaph.ID] = []
            var isRunning = false
            var isStopped = false
        }

        /// - Parameter observer: learns of each report; nil for none.
        package init(
            process: any HandledErrorProcess, options: HandledErrorOptions = HandledErrorOptions(),
            clock: any WallClock = SystemWallClock(), observer: HandledErrorObserver? = nil
        ) {
            self.process = process
            self.options = options
            self.clock = clock
            self.observer = observer
            memoryLeft = Atomic(options.recentLimit)
            state = ForkSafeMutex(
                State(
                    flood: FloodControl(
                        perMinute: options.reportsPerMinute, windowSeconds: options.window.inSeconds
                    )))
            hasEnded = try? StopSignal()
        }

        deinit {
            guard isOwner else { return }
            work.give()
            let waiting = state.withLock { $0.queue }
            for job in waiting { drop(job, .errorReportsStopped) }
        }

        /// Starts the thread and makes ids, for the first error. Memory for copies of stacks is
        /// allocated only then, because many programs never have one. If the thread cannot be
        /// started now, the first error tries again.
        public func prepare() {
            guard isOwner else { return }
            prepareIDs()
            let mustStart = state.withLock { state in
                guard !state.isRunning, !state.isStopped else { return false }
                state.isRunning = true
                return true
            }
            guard mustStart, (try? startThread()) == nil else { return }
            drop(afterFailedStart: "there is no thread to make it")
        }

        func prepareNext() {
            CallerStack.prepareMemory()
            prepareIDs()
        }

        private func prepareIDs() {
            let missing = options.queueLimit - state.withLock { $0.ids.count }
            guard missing > 0 else { return }
            let ids = (0..<missing).map { _ in Epitaph.ID() }
            state.withLock { $0.ids += ids }
        }

        /// The latest errors, the newest last, also those without a report of their own: of these, up
        /// to `HandledErrorOptions.recentLimit` a second are kept.
        public var recent: [RecentHandledError] {
            guard isOwner else { return [] }
            return state.withLock { state in
                add(repeats.takeAll(), to: &state)
                return state.recent.all { state.flood.count(of: $0) }
            }
        }

        /// Empties `recent`. Reports and counts stay; an error that comes meanwhile may stay too.
        public func clearRecent() {
            guard isOwner else { return }
            state.withLock { state in
                state.unread = []
                state.recent.clear()
            }
        }

        /// How many errors got no report so far, by reason.
        public var losses: Losses {
            guard isOwner else { return Losses() }
            var losses = state.withLock { $0.losses }
            losses.tooMany += droppedCount.load(ordering: .relaxed)
            return losses
        }

        var waitingCount: Int { state.withLock { $0.queue.count } }

        /// Ends error reporting. Reports of waiting errors are still made, for up to
        /// `HandledErrorOptions.stopTimeout`; the others are dropped. May be called more than once.
        public func stop() {
            guard isOwner else { return }
            let isRunning = state.withLock { state in
                state.isStopped = true
                // From now on calls see that it has ended.
                add(repeats.end { _ in true }, to: &state)
                repeats.refuseOthers(until: 0)
                return state.isRunning
            }
            guard isRunning else { return }
            work.give()
            // The program's completions run on the thread that would be waited for.
            let isWorker = worker.load(ordering: .relaxed) == UInt(pthread_self())
            if !isWorker, hasEnded?.wait(seconds: options.stopTimeout.inSeconds) == true { return }
            let dropped = state.withLock { state in
                defer { state.queue = [] }
                state.losses.stopped += state.queue.count
                return state.queue
            }
            dropped.forEach { $0.capture?.discard() }
            let completions = dropped.compactMap(\.completion)
            guard !completions.isEmpty else { return }
            // On a separate thread: the program's completions must not hold up `stop`.
            do throws(SystemError) {
                try BackgroundThread.start("epitaph-errors") {
                    completions.forEach { $0(.failure(.errorReportsStopped)) }
                }
            } catch {
                completions.forEach { $0(.failure(.errorReportsStopped)) }
            }
        }

        // In a child of fork(2), a lock may be held by a thread that does not exist there.
        private var isOwner: Bool { epitaph_caller_process() == owner }

        var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

        /// The report shows the stack from the calling function on.
        ///
        /// - Returns: the id of the report; nil if it gets none of its own, after `completion` was
        ///   called.
        @inline(never)
        @discardableResult
        func take(
            _ subject: ErrorSubject, properties: [String: String], attachments: [ErrorAttachment],
            capturesAllThreads: Bool, place: ErrorPlace, completion: HandledErrorCompletion?
        ) -> Epitaph.ID? {
            guard isOwner else {
                completion?(.failure(.errorsOfParent))
                return nil
            }
            let key =
                subject.isCountable ? epitaph_caller_key(place.mixed(into: subject.kind)) : nil
            if let refusal = quickRefusal(key) ?? refusal(key) {
                if subject.isCountable { remember(subject, properties, key, refusal) }
                completion?(refusal)
                return nil
            }
            var job = ErrorJob(
                id: state.withLock { $0.ids.popLast() } ?? Epitaph.ID(), key: key, subject: subject,
                properties: properties,
                attachments: attachments, place: place,
                timeNanoseconds: clock.now().nanosecondsSince1970,
                completion: completion)
            if capturesAllThreads {
                do throws(Refusal) {
                    job.capture = try process.dumpOfAllThreads()
                } catch {
                    state.withLock { $0.losses.notFiled += 1 }
                    completion?(.failure(error))
                    return nil
                }
            } else {
                job.stack = CallerStack()
                job.scope = process.scopeOfCaller()
            }
            guard enqueue(job) else { return nil }
            return job.id
        }

        private func quickRefusal(
            _ key: UInt64?
        ) -> Result<HandledErrorOutcome, Refusal>? {
            guard process.isStarted else { return .failure(.errorReportsNotStarted) }
            guard let key else { return nil }
            switch repeats.count(key, at: seconds) {
            case .counted: return .success(.counted)
            case .tooMany:
                droppedCount.add(1, ordering: .relaxed)
                return .failure(.tooManyErrors(perMinute: options.reportsPerMinute))
            case .open: return nil
            }
        }

        private func refusal(
            _ key: UInt64?
        ) -> Result<HandledErrorOutcome, Refusal>? {
            let now = seconds
            return state.withLock { state in
                guard !state.isStopped else {
                    state.losses.stopped += 1
                    return .failure(.errorReportsStopped)
                }
                guard state.queue.count < options.queueLimit else {
                    state.losses.queueIsFull += 1
                    return .failure(.errorQueueIsFull(limit: options.queueLimit))
                }
                if let key, let counted = repeats.take(key) { state.flood.add(counted) }
                switch state.flood.admit(key, at: now) {
                case .report:
                    if let key { countRepeats(of: key, until: state.flood.windowEnd(of: key)) }
                    return nil
                case .counted: return .success(.counted)
                case .tooMany:
                    state.losses.tooMany += 1
                    repeats.refuseOthers(until: state.flood.nextAllowance(at: now))
                    return .failure(.tooManyErrors(perMinute: options.reportsPerMinute))
                }
            }
        }

        private func remember(
            _ subject: ErrorSubject, _ properties: [String: String], _ key: UInt64?,
            _ result: Result<HandledErrorOutcome, Refusal>
        ) {
            guard memoryLeft.load(ordering: .relaxed) > 0,
                memoryLeft.subtract(1, ordering: .relaxed).oldValue > 0
            else { return }
            var failure: Refusal?
            if case .failure(let reason) = result { failure = reason }
            // Keeps nothing after the end or before the start.
            guard failure?.kind != .notStarted else { return }
            let unread = UnreadError(
                key: key, subject: subject, properties: properties,
                timeNanoseconds: clock.now().nanosecondsSince1970,
                scope: failure == nil ? process.scopeOfCaller() : nil, failure: failure)
            state.withLock { $0.unread.append(unread) }
            work.give()
        }

        /// Lets further errors of a kind be counted without the lock until its window ends.
        func countRepeats(of key: UInt64, until end: Double?) {
            if let end { repeats.begin(key, until: end) }
        }

        func add(_ counts: [RepeatCounters.Count], to state: inout State) {
            for count in counts { state.flood.add(count) }
        }

        private func enqueue(_ job: ErrorJob) -> Bool {
            let mustStart = state.withLock { state in
                state.queue.append(job)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard mustStart else {
                work.give()
                return true
            }
            do throws(SystemError) {
                try startThread()
                return true
            } catch {
                drop(afterFailedStart: error.description)
                return false
            }
        }

        private func drop(afterFailedStart reason: String) {
            let waiting = state.withLock { state in
                defer { state.queue = [] }
                state.isRunning = false
                state.losses.notFiled += state.queue.count
                return state.queue
            }
            waiting.forEach { drop($0, .errorNotFiled(reason)) }
        }

        func drop(_ job: ErrorJob, _ failure: Refusal) {
            job.capture?.discard()
            job.completion?(.failure(failure))
        }
    }
}
