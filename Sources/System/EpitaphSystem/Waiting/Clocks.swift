// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphValues
import Glibc

package protocol WallClock: Sendable {
    /// The clock may be set, so it can jump in either direction.
    func now() -> Timestamp
}

/// CLOCK_MONOTONIC, clock_gettime(2), used by service managers.
package enum MonotonicClock {
    /// Microseconds since an arbitrary moment, constant during a boot.
    package static func microseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(max(time.tv_sec, 0)) * 1_000_000 + UInt64(max(time.tv_nsec, 0)) / 1_000
    }
}

/// CLOCK_REALTIME, clock_gettime(2).
package struct SystemWallClock: WallClock {
    package init() {}

    package func now() -> Timestamp { .now }
}

package protocol StoppableClock: WallClock {
    /// Seconds since a fixed moment; this clock is never set.
    func monotonicSeconds() -> Double

    var isStopped: Bool { get }

    /// Waits for this time or until the work should stop.
    func wait(seconds: Double)
}

package struct SystemStoppableClock: StoppableClock {
    private let stopSignal: StopSignal
    private let start = ContinuousClock().now

    package init(stopSignal: StopSignal) {
        self.stopSignal = stopSignal
    }

    package func now() -> Timestamp { .now }

    package func monotonicSeconds() -> Double {
        (ContinuousClock().now - start) / .seconds(1)
    }

    /// Also once exit(3) has closed the gate to our libraries: what fails then is nobody's fault.
    package var isStopped: Bool { stopSignal.isStopped || epitaph_exit_gate_is_closed() }

    /// Waits until stopped. `seconds` is clamped to 0 to one day.
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
