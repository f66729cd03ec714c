// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphSystem
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
/// The forked child of a process that started Epitaph is covered like its parent, but has no
/// threads of Epitaph: the parent makes and sends the reports.
public final class Epitaph: Sendable {
    /// Does nothing before the start.
    public static let shared = Epitaph()

    /// Held while starting, stopping and enabling, which are all that changes `phase`.
    let lock = ForkSafeLock()
    /// Read without a lock, so that a child that was forked during a change can go on. A replaced
    /// phase is kept for readers that have just read it: there are only a few in the life of a
    /// process.
    private let phaseNow = Atomic<Unmanaged<Phase>?>(nil)

    private init() {}

    /// A state with everything that belongs to it.
    final class Phase: Sendable {
        let state: State
        /// What the program and the operator have chosen; nil before the start.
        let configuration: Configuration?
        /// Nil unless crashes are captured, or were captured until that was disabled.
        let launch: Launch?

        init(_ state: State, _ configuration: Configuration? = nil, _ launch: Launch? = nil) {
            self.state = state
            self.configuration = configuration
            self.launch = launch
        }
    }

    private static let beforeStart = Phase(.notStarted)

    /// Set only while the lock is held.
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
    /// It takes a few milliseconds; reports are made and sent in the background. From any thread.
    /// If Epitaph runs already this changes nothing, and logs it if the configuration differs.
    /// After `stop()` it starts again.
    ///
    /// - Returns: `shared`, whether or not the start succeeded.
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
