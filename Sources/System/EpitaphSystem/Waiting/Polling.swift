// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem

/// Asks again and again until there is an answer, for locks that may stay locked in a forked child.
///
/// - Returns: nil if there was none in time; it is asked at least once.
package func polled<Value>(
    until end: ContinuousClock.Instant, everyMicroseconds pause: UInt32 = 200,
    _ ask: () -> Value?
) -> Value? {
    while true {
        if let value = ask() { return value }
        guard ContinuousClock.now < end else { return nil }
        epitaph_wait_microseconds(pause)
    }
}
