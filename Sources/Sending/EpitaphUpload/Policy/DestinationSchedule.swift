// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// When a destination that accepted nothing at its last try is tried again. Pure.
enum DestinationSchedule {
    /// Five minutes, in case the server is being installed, then doubled each time.
    static let refused = (first: 300.0, longest: 21_600.0)
    /// It cannot be reached, which usually ends by itself.
    static let unreachable = (first: 60.0, longest: 900.0)

    /// `jitter` is from 0 to 1, constant for one machine: a thousand daemons must not come back
    /// together. `.distantPast` if the destination works, or if a person asked for a try.
    static func dueTime(
        of standing: DestinationStanding?, jitter: Double, now: Timestamp
    ) -> Timestamp {
        guard let standing, let trouble = standing.trouble, standing.tries > 0 else {
            return .distantPast
        }
        let (first, longest) =
            switch trouble {
            case .refused: refused
            case .unreachable: unreachable
            }
        let doubled = first * Double(1 << UInt64(min(standing.tries - 1, 32)))
        let stretch = 1 + RetrySchedule.jitterShare * min(max(jitter, 0), 1)
        let wait = min(doubled, longest) * stretch
        // A try further in the future than the wait can be is from before the clock was set back.
        guard standing.lastTry.seconds(since: now) <= wait else { return .distantPast }
        return standing.lastTry.adding(seconds: wait)
    }
}
