// SPDX-License-Identifier: Apache-2.0

import CCallerStack
import FoundationEssentials
import LinuxSystem
import Synchronization

/// Makes reports of errors that the program dealt with.
///
/// A call copies the caller's stack and returns; everything else is done by a thread of its own,
/// which starts with the first error and ends with `stop`. However many errors come, the memory
/// they take is bounded, and what is dropped is counted.
public final class ErrorReports: Sendable {
    /// How many handled errors got no report, and why.
    public struct Losses: Sendable, Equatable {
        /// There were too many within a minute.
        public var tooMany = 0
        /// Too many waited.
        public var queueIsFull = 0
        /// `stop` came first.
        public var stopped = 0
        /// The report could not be made or filed.
        public var notFiled = 0
    }

    let options: HandledErrorOptions
    let process: any HandledErrorProcess
    let clock: any WallClock
    private let owner = epitaph_caller_process()
    private let start = ContinuousClock.now
    let state: Mutex<State>
    /// Nil in a process without descriptors: then follow-ups wait for the next error.
    let work: WakeSignal?
    let hasEnded: StopSignal?

    struct State {
        var flood: FloodControl
        var queue: [ErrorJob] = []
        var recent = RecentErrors()
        /// Jobs whose kind may get a follow-up.
        var firsts = FirstErrors()
        var losses = Losses()
        var isRunning = false
        var isStopped = false
    }

    /// - Parameters:
    ///   - process: the process whose errors these are.
    ///   - options: bounds.
    ///   - clock: the time of day that reports have.
    public init(
        process: any HandledErrorProcess, options: HandledErrorOptions = HandledErrorOptions(),
        clock: any WallClock = SystemWallClock()
    ) {
        self.process = process
        self.options = options
        self.clock = clock
        state = Mutex(
            State(
                flood: FloodControl(
                    perMinute: options.reportsPerMinute, windowSeconds: options.windowSeconds)))
        work = try? WakeSignal()
        hasEnded = try? StopSignal()
    }

    deinit {
        guard isOwner else { return }
        work?.give()
        let waiting = state.withLock { $0.queue }
        for job in waiting { drop(job, .stopped) }
    }

    /// The latest errors that were reported, the newest last.
    public var recent: [RecentHandledError] {
        guard isOwner else { return [] }
        return state.withLock { state in
            state.recent.all { state.flood.count(of: $0) }
        }
    }

    /// What got no report so far.
    public var losses: Losses {
        guard isOwner else { return Losses() }
        return state.withLock { $0.losses }
    }

    /// How many wait for their turn.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Ends error reports: those that wait are made, as long as
    /// `HandledErrorOptions.stopTimeoutSeconds` lasts, the others are dropped. Can be called more
    /// than once.
    public func stop() {
        guard isOwner else { return }
        let isRunning = state.withLock { state in
            state.isStopped = true
            return state.isRunning
        }
        guard isRunning else { return }
        work?.give()
        if hasEnded?.wait(seconds: options.stopTimeoutSeconds) == true { return }
        let dropped = state.withLock { state in
            defer { state.queue = [] }
            state.losses.stopped += state.queue.count
            return state.queue
        }
        dropped.forEach { $0.capture?.discard() }
        let completions = dropped.compactMap(\.completion)
        guard !completions.isEmpty else { return }
        // On a thread of their own: what a program does in one must not hold up `stop`.
        do throws(SystemError) {
            try BackgroundThread.start("epitaph-errors") {
                completions.forEach { $0(.failure(.stopped)) }
            }
        } catch {
            completions.forEach { $0(.failure(.stopped)) }
        }
    }

    // In a child of fork(2) a lock may be held by a thread that is not there.
    private var isOwner: Bool { epitaph_caller_process() == owner }

    var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Takes an error. The calling function's stack is what the report shows.
    ///
    /// - Returns: the id that its report will have; nil where it gets none of its own, which
    ///   `completion` has been told.
    @inline(never)
    @discardableResult
    func take(
        _ subject: ErrorSubject, properties: [String: String], attachments: [ErrorAttachment],
        capturesAllThreads: Bool, place: ErrorPlace, completion: HandledErrorCompletion?
    ) -> UUID? {
        let key =
            subject.isCountable ? epitaph_caller_key(place.mixed(into: subject.kind)) : nil
        if let refusal = refusal(key) {
            completion?(refusal)
            return nil
        }
        var job = ErrorJob(
            id: UUID(), key: key, subject: subject, properties: properties,
            attachments: attachments, place: place,
            timeNanoseconds: clock.now().nanosecondsSince1970,
            completion: completion)
        if capturesAllThreads {
            do throws(HandledErrorFailure) {
                job.capture = try process.dumpOfAllThreads()
            } catch {
                state.withLock { $0.losses.notFiled += 1 }
                completion?(.failure(error))
                return nil
            }
        } else {
            job.stack = CallerStack()
        }
        guard enqueue(job) else { return nil }
        return job.id
    }

    /// What becomes of an error that gets no report of its own; nil for one that does.
    private func refusal(
        _ key: UInt64?
    ) -> Result<HandledErrorOutcome, HandledErrorFailure>? {
        guard isOwner else { return .failure(.inForkedChild) }
        guard process.isStarted else { return .failure(.notStarted) }
        let now = seconds
        return state.withLock { state in
            guard !state.isStopped else {
                state.losses.stopped += 1
                return .failure(.stopped)
            }
            guard state.queue.count < options.queueLimit else {
                state.losses.queueIsFull += 1
                return .failure(.queueIsFull(limit: options.queueLimit))
            }
            switch state.flood.admit(key, at: now) {
            case .report: return nil
            case .counted: return .success(.counted)
            case .tooMany:
                state.losses.tooMany += 1
                return .failure(.tooMany(perMinute: options.reportsPerMinute))
            }
        }
    }

    private func enqueue(_ job: ErrorJob) -> Bool {
        let mustStart = state.withLock { state in
            state.queue.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else {
            work?.give()
            return true
        }
        do throws(SystemError) {
            try startThread()
            return true
        } catch {
            let waiting = state.withLock { state in
                defer { state.queue = [] }
                state.isRunning = false
                state.losses.notFiled += state.queue.count
                return state.queue
            }
            waiting.forEach { drop($0, .notFiled(error.description)) }
            return false
        }
    }

    func drop(_ job: ErrorJob, _ failure: HandledErrorFailure) {
        job.capture?.discard()
        job.completion?(.failure(failure))
    }
}
