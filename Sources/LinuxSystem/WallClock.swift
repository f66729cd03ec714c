// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The time of day, as a seam: rules take it from here and tests set it.
public protocol WallClock: Sendable {
    func now() -> Date
}

/// CLOCK_REALTIME
public struct SystemWallClock: WallClock {
    public init() {}

    public func now() -> Date {
        Date()
    }
}
