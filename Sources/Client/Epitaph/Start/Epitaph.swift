// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Held while starting, stopping and enabling. Nothing else changes `phase`.
    static let lock = ForkSafeLock()
    /// Read without a lock, so that a child forked during a change can go on. A replaced phase is
    /// never freed, because a reader may have just loaded it; a process replaces only a few.
    private static let phaseNow = Atomic<Unmanaged<Phase>?>(nil)

    final class Phase: Sendable {
        let state: State
        /// The choices of the program and the operator; nil before the start.
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

    /// Set only with the lock held.
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

    package static var reporter: CrashReporter? { phase.launch?.reporter }

    /// Starts Epitaph. Call it early, before the program makes threads; from any thread.
    ///
    /// Takes a few milliseconds; reports are made and sent in the background. If Epitaph is already
    /// running, nothing changes, and a different configuration is logged. Can be called again after
    /// `stop()`.
    ///
    /// - Returns: what Epitaph does now.
    @discardableResult
    public static func start(_ configuration: Configuration) -> State {
        begin(configuration)
        return state
    }

    /// Restores the earlier signal handlers, ends background work, and marks that this process
    /// ended well, as do returning from main and exit(3), without waiting for anything.
    ///
    /// Waits for reports of handled errors in progress, and for sessions and events to be written,
    /// one after the other, each at most two seconds unless set otherwise. Anything unfinished is
    /// left to the next launch, or ends by itself. In a forked child it only ends the capture.
    public static func stop() {
        _ = lock.during {
            let present = phase
            guard let launch = present.launch else { return }
            launch.stop()
            phase = Phase(.stopped, present.configuration)
        }
    }
}
