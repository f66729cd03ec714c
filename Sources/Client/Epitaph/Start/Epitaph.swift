// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Held while starting, stopping and enabling, which are all that changes `phase`.
    static let lock = ForkSafeLock()
    /// Read without a lock, so that a child that was forked during a change can go on. A replaced
    /// phase is kept for readers that have just read it: there are only a few in the life of a
    /// process.
    private static let phaseNow = Atomic<Unmanaged<Phase>?>(nil)

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
    static var phase: Phase {
        get { phaseNow.load(ordering: .acquiring)?.takeUnretainedValue() ?? Self.beforeStart }
        set { phaseNow.store(Unmanaged.passRetained(newValue), ordering: .releasing) }
    }

    /// What Epitaph does in this process.
    public static var state: State {
        let phase = phase
        guard case .running = phase.state, phase.launch != nil else { return phase.state }
        return Epitaph.isCaptureEnabled ? .running : .disabled
    }

    /// The capture of this process; nil unless Epitaph has started.
    package static var reporter: CrashReporter? { phase.launch?.reporter }

    /// Starts Epitaph. Call it early, before the program makes threads.
    ///
    /// It takes a few milliseconds; reports are made and sent in the background. From any thread.
    /// If Epitaph runs already this changes nothing, and logs it if the configuration differs.
    /// After `stop()` it starts again.
    ///
    /// - Returns: what Epitaph does now.
    @discardableResult
    public static func start(_ configuration: Configuration) -> State {
        begin(configuration)
        return state
    }

    /// Puts the earlier signal handlers back, ends what runs in the background, and marks that this
    /// process ended well. Returning from main and exit(3) mark it too, and wait for nothing.
    ///
    /// It waits for reports of handled errors that are being made, for sessions and for events to
    /// be written, each as long as its own page says: two seconds at most, one after the other,
    /// unless chosen otherwise. What is not done by then is left to the next launch, or ends by
    /// itself. In a forked child it ends the capture and nothing else.
    public static func stop() {
        _ = lock.during {
            let present = phase
            guard let launch = present.launch else { return }
            launch.stop()
            phase = Phase(.stopped, present.configuration)
        }
    }
}
