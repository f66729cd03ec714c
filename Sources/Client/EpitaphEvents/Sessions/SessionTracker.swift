// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Divides a launch into sessions, gives each an id that its events carry, and keeps
    /// statistics.
    ///
    /// A session begins with the first activity and ends after half a minute without any. Its state
    /// is on disk while it runs, so that the next launch can record that a crash ended it. See
    /// docs/sessions.md.
    public final class SessionTracker: Sendable {
        private struct State {
            var session: SessionState
            var changes: [SessionState.Change] = []
            var looksAtEarlierLaunches = false
            var isClosed = false
        }

        private let context: CurrentContext
        private let keeper: SessionKeeper
        private let clock: any StoppableClock
        private let options: SessionOptions
        private let wake: WakeSignal
        private let end: StopSignal
        private let state: ForkSafeMutex<State>
        private let isStarted = Atomic(false)
        private let processID = ProcFileSystem.ownProcessID

        /// Creates a tracker without opening or starting anything.
        ///
        /// - Parameters:
        ///   - databasePath: sessions are stored in `sessions` inside it.
        ///   - bundleID: the program's name in file names, as in crash reports.
        ///   - context: receives the session's id. Its `deviceID` stands for the user if none is
        ///     set.
        ///   - endings: how earlier launches ended. Without it only marked ends are known.
        ///   - clock: the system's clock if nil.
        /// - Throws: if the process has no file descriptor left.
        package init(
            inDatabase databasePath: String, bundleID: String,
            options: SessionOptions = SessionOptions(), context: CurrentContext,
            recorder: any EventRecorder, endings: (any LaunchEndings)? = nil,
            launchID: Epitaph.ID = Epitaph.ID(), clock: (any StoppableClock)? = nil
        ) throws(SystemError) {
            self.context = context
            self.options = options
            wake = WakeSignal()
            end = try StopSignal()
            self.clock = clock ?? SystemStoppableClock(stopSignal: end)
            keeper = SessionKeeper(
                databasePath: databasePath, bundleID: bundleID, options: options,
                recorder: recorder,
                endings: endings, launchID: launchID, clock: self.clock)
            state = ForkSafeMutex(
                State(session: SessionState(idleSeconds: options.idleTime.inSeconds)))
        }

        /// The session in progress, if any.
        public var current: Session? {
            guard isOwn else { return nil }
            return state.withLock { $0.session.current }
        }

        /// Why the last attempt to record sessions failed; nil if it succeeded.
        public var problem: String? { keeper.problem }

        /// Reports activity, such as a request or a timer. From any thread, as often as you like:
        /// no system call, no disk access.
        public func noteActivity() {
            guard isOwn else { return }
            let moment = moment
            change { $0.noteActivity(at: moment) }
        }

        /// Counts handled errors for the running session.
        public func noteHandledError(count: Int = 1) {
            guard isOwn else { return }
            state.withLock { $0.session.noteHandledError(count: count) }
        }

        /// Sets the user of the context. Ends the running session and begins another one.
        public func setUser(_ user: Context.User?) {
            guard isOwn else { return }
            context.update { $0.user = user }
            let salt = context.snapshot.deviceID
            let key = user.map { UserKey.key(of: $0.id, salt: salt) }
            let moment = moment
            change { $0.setUser(key, at: moment) }
        }

        /// Ends the running session; the next activity begins another.
        public func endSession() {
            guard isOwn else { return }
            change { $0.end() }
        }

        /// Starts the thread, which also records sessions of earlier launches; idempotent.
        public func start() throws(SystemError) {
            guard isOwn, !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
            if options.startsAtLaunch { noteActivity() }
            do {
                // A strong reference: the thread has to end the session of a released tracker.
                try BackgroundThread.start("epitaph-session") { [self] in run() }
            } catch {
                isStarted.store(false, ordering: .releasing)
                throw error
            }
        }

        /// Asks again about earlier launches without a known end, whose dumps may be swept by now.
        public func lookAtEarlierLaunches() {
            guard isOwn else { return }
            state.withLock { $0.looksAtEarlierLaunches = true }
            wake.give()
        }

        /// Completes the running session and ends the thread. The tracker cannot be started again.
        ///
        /// - Parameter time: the longest wait for the disk.
        /// - Returns: whether the thread has ended. If not, it ends by itself later.
        @discardableResult
        public func stop(within time: Duration = .seconds(2)) -> Bool {
            guard isOwn else { return false }
            change { $0.end() }
            state.withLock { $0.isClosed = true }
            wake.give()
            guard isStarted.load(ordering: .acquiring) else { return true }
            return end.wait(seconds: time.inSeconds)
        }

        /// Figures about recent sessions, including recorded ones of this launch. Reads files.
        ///
        /// - Parameter days: including today; at most `SessionOptions.keptDays`.
        public func statistics(days: Int = 30) throws(SystemError) -> SessionStatistics {
            try keeper.statistics(days: days)
        }

        /// A forked child must not touch its parent's session.
        private var isOwn: Bool { ProcFileSystem.ownProcessID == processID }

        private var moment: SessionState.Moment {
            SessionState.Moment(time: clock.now(), seconds: clock.monotonicSeconds())
        }

        private func change(_ body: (inout SessionState) -> [SessionState.Change]) {
            let (hasChanged, id) = state.withLock { state -> (Bool, Epitaph.ID?) in
                guard !state.isClosed else { return (false, nil) }
                let changes = body(&state.session)
                state.changes += changes
                return (!changes.isEmpty, state.session.current?.id)
            }
            guard hasChanged else { return }
            context.update { $0.sessionID = id }
            wake.give()
        }

        private func run() {
            while true {
                let seconds = step()
                if state.withLock({ $0.isClosed && $0.changes.isEmpty }) { break }
                wake.wait(seconds: seconds)
            }
            keeper.finish()
            end.stop()
        }

        func step() -> Double {
            let moment = moment
            change { $0.expire(at: moment) }
            let (changes, looks, session, expiry) = state.withLock { state in
                defer {
                    state.changes = []
                    state.looksAtEarlierLaunches = false
                }
                return (
                    state.changes, state.looksAtEarlierLaunches, state.session.current,
                    state.session.secondsToExpiry(at: moment)
                )
            }
            if looks { keeper.lookAtEarlierLaunches() }
            keeper.keep(changes, session)
            return min(expiry ?? 3_600, session == nil ? 3_600 : options.noteInterval.inSeconds)
        }

        func finish() { keeper.finish() }
    }
}
