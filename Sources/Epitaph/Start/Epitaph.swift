// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Records how this process dies, and turns what earlier launches recorded into reports.
///
///     Epitaph.start(
///         .init(databasePath: "/var/lib/myd/crashes", bundleID: "com.example.myd"))
///     Epitaph.shared.addBreadcrumb("listening")
///
/// There is one in a process. It never throws and never ends the program: where it cannot start,
/// `state` and the configuration's `log` say why, and everything else does nothing.
///
/// The forked child of a process that has started Epitaph is covered as its parent is, and has
/// none of its threads: reports are made and sent by the parent.
public final class Epitaph: Sendable {
    /// Before the start it does nothing.
    public static let shared = Epitaph()

    /// Of starting, stopping and enabling: all that changes `phase`.
    let lock = ForkSafeLock()
    /// Read without a lock, so that a child that was forked in the middle of a change can go on. One
    /// that is replaced is kept for a reader that has just got it: there are few in a life.
    private let phaseNow = Atomic<Unmanaged<Phase>?>(nil)

    private init() {}

    /// A state and what belongs to it.
    final class Phase: Sendable {
        let state: State
        /// What the program, or an operator, has chosen; nil before the start.
        let configuration: Configuration?
        /// Nil unless crashes are captured, or were until they were disabled.
        let launch: Launch?

        init(_ state: State, _ configuration: Configuration? = nil, _ launch: Launch? = nil) {
            self.state = state
            self.configuration = configuration
            self.launch = launch
        }
    }

    private static let beforeStart = Phase(.notStarted)

    /// Set by who has the lock.
    var phase: Phase {
        get { phaseNow.load(ordering: .acquiring)?.takeUnretainedValue() ?? Self.beforeStart }
        set { phaseNow.store(Unmanaged.passRetained(newValue), ordering: .releasing) }
    }

    /// What Epitaph does in this process.
    public var state: State {
        let phase = phase
        guard case .running = phase.state, let launch = phase.launch else { return phase.state }
        return launch.reporter.isEnabled ? .running : .disabled
    }

    /// The lower level of the API, with an error for each thing that does not work; nil unless
    /// Epitaph has started.
    public var reporter: CrashReporter? { phase.launch?.reporter }

    /// Starts Epitaph. Call it early, before the program makes threads.
    ///
    /// It takes some milliseconds; reports are made and sent in the background. From any thread.
    /// When Epitaph runs already this changes nothing, and says so in the log if the configuration
    /// is another one. After `stop()` it starts again.
    ///
    /// - Returns: `shared`, whatever came of it.
    @discardableResult
    public static func start(_ configuration: Configuration) -> Epitaph {
        shared.start(configuration)
        return shared
    }

    /// Puts the earlier signal handlers back, ends what runs in the background, and marks that this
    /// process ended well. Returning from main and exit(3) mark it too, and wait for nothing.
    ///
    /// It waits for reports of handled errors that are being made, for sessions and for events to be
    /// written, each as long as its own page says: two seconds at most, one after the other, unless
    /// chosen otherwise. What is not done by then is left to the next launch, or ends by itself. In
    /// a forked child it ends the capture and nothing else.
    public func stop() {
        _ = lock.during {
            let present = phase
            guard let launch = present.launch else { return }
            launch.stop()
            phase = Phase(.stopped, present.configuration)
        }
    }
}
