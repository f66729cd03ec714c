// SPDX-License-Identifier: Apache-2.0

import Events
import FoundationEssentials
import LinuxSystem
import Synchronization

/// Tells sessions apart, gives each an id that events carry, and keeps what statistics need.
///
/// A session begins with the first activity and is over when nothing was done for half a minute. The
/// state of the running one is on the disk, so that the next launch knows that a crash ended it.
/// docs/sessions.md has the rules.
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

    /// Makes a tracker; nothing is opened or started yet.
    ///
    /// - Parameters:
    ///   - databasePath: the crash report database; sessions are in `sessions` inside it.
    ///   - bundleID: the name of the program in file names, as crash reports have it.
    ///   - options: when a session is over, and how long what is known of it is kept.
    ///   - context: gets the id of the session. Its `deviceID` stands for the user where there is
    ///     none.
    ///   - recorder: takes the events of sessions that begin and end.
    ///   - endings: says how earlier launches ended; without it that is unknown, but for those that
    ///     were stopped.
    ///   - launchID: of this launch.
    ///   - clock: the machine's own unless given.
    /// - Throws: when the process has no file descriptor left.
    public init(
        inDatabase databasePath: String, bundleID: String,
        options: SessionOptions = SessionOptions(), context: CurrentContext,
        recorder: any EventRecorder, endings: (any LaunchEndings)? = nil,
        launchID: UUID = UUID(), clock: (any StoppableClock)? = nil
    ) throws(SystemError) {
        self.context = context
        self.options = options
        wake = try WakeSignal()
        end = try StopSignal()
        self.clock = clock ?? SystemStoppableClock(stopSignal: end)
        keeper = SessionKeeper(
            databasePath: databasePath, bundleID: bundleID, options: options, recorder: recorder,
            endings: endings, launchID: launchID, clock: self.clock)
        state = Mutex(State(session: SessionState(idleSeconds: options.idleSeconds)))
    }

    /// The session under way; nil where there is none.
    public var current: Session? {
        guard isOwn else { return nil }
        return state.withLock { $0.session.current }
    }

    /// Why sessions could not be kept last, in a sentence; nil when they could.
    public var problem: String? { keeper.problem }

    /// Something was done: a request came in, a timer fired. Without disk and system calls; call it
    /// as often as you like, from any thread.
    public func noteActivity() {
        guard isOwn else { return }
        let moment = moment
        change { $0.noteActivity(at: moment) }
    }

    /// The program handled an error; it counts for the running session.
    public func noteHandledError() {
        guard isOwn else { return }
        state.withLock { $0.session.noteHandledError() }
    }

    /// Another user works with the program, or none: the running session is over, and another one
    /// begins. The context gets the user.
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

    /// Starts the thread that keeps sessions; does nothing when it was started before. What earlier
    /// launches left is recorded by that thread.
    public func start() throws(SystemError) {
        guard isOwn, !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if options.startsAtLaunch { noteActivity() }
        do {
            // Not weak: the thread has a session to end when the tracker goes.
            try BackgroundThread.start("epitaph-session") { [self] in run() }
        } catch {
            isStarted.store(false, ordering: .releasing)
            throw error
        }
    }

    /// Looks once more at sessions of earlier launches whose end was not known when this one
    /// started, because their dumps had not been swept. Its thread does so.
    public func lookAtEarlierLaunches() {
        guard isOwn else { return }
        state.withLock { $0.looksAtEarlierLaunches = true }
        wake.give()
    }

    /// Ends the running session as completed and the thread with it. For good.
    ///
    /// - Parameter seconds: the longest this waits for the disk.
    /// - Returns: whether the thread has ended by then. If not it ends by itself.
    @discardableResult
    public func stop(withinSeconds seconds: Double = 2) -> Bool {
        guard isOwn else { return false }
        change { $0.end() }
        state.withLock { $0.isClosed = true }
        wake.give()
        guard isStarted.load(ordering: .acquiring) else { return true }
        return end.wait(seconds: seconds)
    }

    /// What the sessions of the last days came to, those of this launch among them, as far as they
    /// are on the disk. Reads files.
    ///
    /// - Parameter days: the present one included; 1 to as many as are kept.
    public func statistics(days: Int = 30) throws(SystemError) -> SessionStatistics {
        try keeper.statistics(days: days)
    }

    /// In a forked child the parent's session is none of ours. Asked before any lock is taken:
    /// another thread may have held it when the process was forked.
    private var isOwn: Bool { ProcFileSystem.ownProcessID == processID }

    private var moment: SessionState.Moment {
        SessionState.Moment(time: clock.now(), seconds: clock.monotonicSeconds())
    }

    private func change(_ body: (inout SessionState) -> [SessionState.Change]) {
        let (hasChanged, id) = state.withLock { state -> (Bool, UUID?) in
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

    /// Does what is due.
    ///
    /// - Returns: seconds until something is.
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
        return min(expiry ?? 3_600, session == nil ? 3_600 : options.noteSeconds)
    }

    /// For tests of the end without a thread.
    func finish() { keeper.finish() }
}
