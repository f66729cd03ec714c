// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The time of day. Rules that depend on it take it from here, so that tests can set it.
public protocol WallClock: Sendable {
    /// People and programs can set this clock, so it may jump in either direction.
    func now() -> Date
}

/// CLOCK_REALTIME, clock_gettime(2).
public struct SystemWallClock: WallClock {
    public init() {}

    public func now() -> Date { Date() }
}

/// The clocks of work that waits and that can be stopped while it waits. Tests let days pass
/// without waiting.
public protocol StoppableClock: WallClock {
    /// Seconds since some moment. Unlike the time of day, this is never set.
    func monotonicSeconds() -> Double

    /// Whether the work is to end.
    var isStopped: Bool { get }

    /// Waits for so many seconds, or until the work is to end, whichever comes first.
    func wait(seconds: Double)
}

/// The machine's own clocks, and a `StopSignal`.
public struct SystemStoppableClock: StoppableClock {
    private let stopSignal: StopSignal
    private let start = ContinuousClock().now

    /// - Parameter stopSignal: ends every wait; shared with whoever stops the work.
    public init(stopSignal: StopSignal) {
        self.stopSignal = stopSignal
    }

    public func now() -> Date { Date() }

    public func monotonicSeconds() -> Double {
        (ContinuousClock().now - start) / .seconds(1)
    }

    public var isStopped: Bool { stopSignal.isStopped }

    public func wait(seconds: Double) {
        _ = stopSignal.wait(seconds: seconds)
    }
}
