// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Recognises sessions, gives each an id that its events carry, and keeps what statistics need.
    ///
    /// A session begins with the first activity and is over when nothing happened for half a
    /// minute. Its state is on disk while it runs, so that the next launch can record that a crash
    /// ended it. docs/sessions.md has the rules.
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
        private let state: Mutex<State>
        private let isStarted = Atomic(false)
        private let processID = ProcFileSystem.ownProcessID

        /// Creates a tracker. Nothing is opened or started yet.
        ///
        /// - Parameters:
        ///   - databasePath: the crash report database; sessions are in `sessions` inside it.
        ///   - bundleID: the name of the program in file names, as in crash reports.
        ///   - options: when a session is over, and how long session records are kept.
        ///   - context: receives the id of the session. Its `deviceID` stands for the user if no
        ///     user is set.
        ///   - recorder: receives the events of sessions that begin and end.
        ///   - endings: tells how earlier launches ended. Without it their ends are unknown, except
        ///     for those that were stopped.
        ///   - launchID: the id of this launch.
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
            state = Mutex(State(session: SessionState(idleSeconds: options.idleTime.inSeconds)))
        }

        /// The session in progress; nil if there is none.
        public var current: Session? {
            guard isOwn else { return nil }
            return state.withLock { $0.session.current }
        }

        /// Why sessions could not be recorded the last time, as a sentence; nil if they could.
        public var problem: String? { keeper.problem }

        /// Tells the tracker that the program did something: a request came in, a timer fired.
        /// Makes no system call and does not touch the disk; may be called as often as you like,
        /// from any thread.
        public func noteActivity() {
            guard isOwn else { return }
            let moment = moment
            change { $0.noteActivity(at: moment) }
        }

        /// The program handled an error, or `count` of them; they count for the running session.
        public func noteHandledError(count: Int = 1) {
            guard isOwn else { return }
            state.withLock { $0.session.noteHandledError(count: count) }
        }

        /// Changes the user. This ends the running session and begins another one, and sets the
        /// user of the context.
        public func setUser(_ user: Context.User?) {
            guard isOwn else { return }
            context.update { $0.user = user }
            let salt = context.snapshot.deviceID
            let key = user.map { UserKey.key(of: $0.id, salt: salt) }
            let moment = moment
            change { $0.setUser(key, at: moment) }
        }

        /// Ends the running session; the next activity begins another one.
        public func endSession() {
            guard isOwn else { return }
            change { $0.end() }
        }

        /// Starts the thread that keeps sessions; does nothing if it was started before. That
        /// thread also records the sessions of earlier launches.
        public func start() throws(SystemError) {
            guard isOwn, !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
            if options.startsAtLaunch { noteActivity() }
            do {
                // A strong reference: the thread still has to end the session when the tracker is
                // released.
                try BackgroundThread.start("epitaph-session") { [self] in run() }
            } catch {
                isStarted.store(false, ordering: .releasing)
                throw error
            }
        }

        /// Looks again at sessions of earlier launches whose end was not known at the start because
        /// their dumps had not been swept. This happens on the tracker's thread.
        public func lookAtEarlierLaunches() {
            guard isOwn else { return }
            state.withLock { $0.looksAtEarlierLaunches = true }
            wake.give()
        }

        /// Ends the running session as completed, and then the thread. The tracker cannot be
        /// started again.
        ///
        /// - Parameter time: how long to wait for the disk at most.
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

        /// Figures about the sessions of the last days, including those of this launch that are on
        /// disk already. Reads files.
        ///
        /// - Parameter days: how many days to cover, today included; at most
        ///   `SessionOptions.keptDays`.
        public func statistics(days: Int = 30) throws(SystemError) -> SessionStatistics {
            try keeper.statistics(days: days)
        }

        /// A forked child must not touch its parent's session. This is checked before any lock is
        /// taken, because another thread may have held the lock during the fork.
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

        /// Does everything that is due now.
        ///
        /// - Returns: seconds until something is due again.
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

        /// For tests that end a tracker without its thread.
        func finish() { keeper.finish() }
    }
}
