// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Synchronization

/// Clocks that stand still until a test sets them or something waits: a wait returns at once, and
/// both clocks are that much further.
public final class TestClock: StoppableClock {
    private struct Values {
        var time: Date
        var seconds = 1_000.0
        var waits: [Double] = []
        var isStopped = false
        var stopsInWait: Int?
    }

    private let values: Mutex<Values>

    public init(_ time: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        values = Mutex(Values(time: time))
    }

    public func now() -> Date { values.withLock { $0.time } }
    public func monotonicSeconds() -> Double { values.withLock { $0.seconds } }
    public var isStopped: Bool { values.withLock { $0.isStopped } }

    public func wait(seconds: Double) {
        values.withLock { values in
            values.waits.append(seconds)
            if values.waits.count == values.stopsInWait {
                values.isStopped = true
                return
            }
            values.seconds += seconds
            values.time += seconds
        }
    }

    /// All waits so far, in seconds.
    public var waits: [Double] { values.withLock { $0.waits } }

    /// Lets time pass on both clocks.
    public func advance(bySeconds seconds: Double) {
        values.withLock { values in
            values.seconds += seconds
            values.time += seconds
        }
    }

    /// Sets the time of day; the monotonic clock stays.
    public func set(_ time: Date) { values.withLock { $0.time = time } }

    public func stop() { values.withLock { $0.isStopped = true } }

    /// Stops in the wait of this number, counted from 1.
    public func stop(inWait number: Int) { values.withLock { $0.stopsInWait = number } }
}
