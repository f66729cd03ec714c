// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// The time of day. Rules that depend on it get it from here, so that tests can set it.
package protocol WallClock: Sendable {
    /// People and programs can set this clock, so it may jump in either direction.
    func now() -> Timestamp
}

/// CLOCK_MONOTONIC, clock_gettime(2), by which managers of services compare times.
package enum MonotonicClock {
    /// Microseconds since a moment that stays the same until the machine is started again.
    package static func microseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(max(time.tv_sec, 0)) * 1_000_000 + UInt64(max(time.tv_nsec, 0)) / 1_000
    }
}

/// CLOCK_REALTIME, clock_gettime(2).
package struct SystemWallClock: WallClock {
    /// The clock of this machine.
    package init() {}

    /// The time of day.
    package func now() -> Timestamp { .now }
}

/// The clocks of work that waits and can be stopped while waiting. Tests let days pass without
/// waiting.
package protocol StoppableClock: WallClock {
    /// Seconds since some fixed moment. Unlike the time of day, this clock is never set.
    func monotonicSeconds() -> Double

    /// Whether the work should end.
    var isStopped: Bool { get }

    /// Waits for this many seconds, or until the work should end, whichever comes first.
    func wait(seconds: Double)
}

/// The machine's own clocks, and a `StopSignal`.
package struct SystemStoppableClock: StoppableClock {
    private let stopSignal: StopSignal
    private let start = ContinuousClock().now

    /// - Parameter stopSignal: ends every wait; shared with the code that stops the work.
    package init(stopSignal: StopSignal) {
        self.stopSignal = stopSignal
    }

    /// The time of day.
    package func now() -> Timestamp { .now }

    /// Seconds since this clock was made.
    package func monotonicSeconds() -> Double {
        (ContinuousClock().now - start) / .seconds(1)
    }

    /// Whether the stop signal was given.
    package var isStopped: Bool { stopSignal.isStopped }

    /// Waits until the stop signal is given, at most this many seconds; more than a day counts as a
    /// day, less than 0 as 0.
    package func wait(seconds: Double) {
        _ = stopSignal.wait(seconds: seconds)
    }
}

extension Timestamp {
    /// CLOCK_REALTIME, clock_gettime(2).
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            secondsSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000)
    }
}
