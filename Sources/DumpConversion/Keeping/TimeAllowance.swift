// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Time that several pieces of work may take together. A program files reports when it starts, and
/// is not to start late because it crashed often.
public final class TimeAllowance: Sendable {
    private let left: Mutex<Duration>

    public init(_ total: Duration) {
        left = Mutex(total)
    }

    /// Whether time is left for the piece of work that is asked.
    struct Clock {
        fileprivate let deadline: ContinuousClock.Instant

        var isOver: Bool { ContinuousClock.now >= deadline }
    }

    /// Does a piece of work and takes the time it took off what is left.
    func measure(_ work: (Clock) -> Void) {
        let start = ContinuousClock.now
        work(Clock(deadline: start + left.withLock { $0 }))
        left.withLock { $0 -= ContinuousClock.now - start }
    }
}
