// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Foundation
import Synchronization

/// Clocks that stand still until a test sets them or something waits: a wait returns at once, and
/// both clocks are that much further.
package final class TestClock: StoppableClock {
    private struct Values {
        var time: Timestamp
        var seconds = 1_000.0
        var waits: [Double] = []
        var isStopped = false
        var stopsInWait: Int?
    }

    private let values: Mutex<Values>

    package init(_ time: Timestamp = Timestamp(secondsSince1970: 1_800_000_000)) {
        values = Mutex(Values(time: time))
    }

    package func now() -> Timestamp { values.withLock { $0.time } }
    package func monotonicSeconds() -> Double { values.withLock { $0.seconds } }
    package var isStopped: Bool { values.withLock { $0.isStopped } }

    package func wait(seconds: Double) {
        values.withLock { values in
            values.waits.append(seconds)
            if values.waits.count == values.stopsInWait {
                values.isStopped = true
                return
            }
            values.seconds += seconds
            values.time = values.time.adding(seconds: seconds)
        }
    }

    /// All waits so far, in seconds.
    package var waits: [Double] { values.withLock { $0.waits } }

    /// Lets time pass on both clocks.
    package func advance(bySeconds seconds: Double) {
        values.withLock { values in
            values.seconds += seconds
            values.time = values.time.adding(seconds: seconds)
        }
    }

    /// Sets the time of day; the monotonic clock stays.
    package func set(_ time: Timestamp) { values.withLock { $0.time = time } }

    package func stop() { values.withLock { $0.isStopped = true } }

    /// Stops in the wait of this number, counted from 1.
    package func stop(inWait number: Int) { values.withLock { $0.stopsInWait = number } }
}
