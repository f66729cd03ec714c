// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows from outside whether a thread's work makes progress.
final class WorkPulse: Sendable {
    private struct State {
        var isWorking = false
        var lastSign = ContinuousClock.now
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Work begins, or goes on.
    func beat() {
        state.withLock { state in
            state.isWorking = true
            state.lastSign = .now
        }
    }

    /// Nothing to do until something happens.
    func rest() { state.withLock { $0.isWorking = false } }

    func end() { state.withLock { $0.hasEnded = true } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// For how long work has shown no progress, in seconds; 0 while there is none.
    var silentSeconds: Double {
        state.withLock { state in
            guard state.isWorking, !state.hasEnded else { return 0 }
            return (ContinuousClock.now - state.lastSign) / .seconds(1)
        }
    }
}
