// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Synchronization

/// A clock that stands still until it is set.
public final class FixedWallClock: WallClock {
    private let time: Mutex<Date>

    public init(_ time: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.time = Mutex(time)
    }

    public func now() -> Date {
        time.withLock { $0 }
    }

    public func advance(bySeconds seconds: Double) {
        time.withLock { $0 = $0.addingTimeInterval(seconds) }
    }
}
