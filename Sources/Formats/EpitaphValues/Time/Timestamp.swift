// SPDX-License-Identifier: Apache-2.0

import EpitaphNames

extension Epitaph {
    /// A time of the wall clock, which can jump. Precise to about 240 ns in this century, as
    /// Foundation's `Date`, which would link Foundation into every program with Epitaph.
    public struct Timestamp: Hashable, Sendable, Comparable {
        /// POSIX time: seconds since 1970 in UTC, without leap seconds. Any value may occur.
        public var secondsSince1970: Double

        public init(secondsSince1970: Double) {
            self.secondsSince1970 = secondsSince1970
        }

        /// Earlier than any real time.
        public static let distantPast = Timestamp(secondsSince1970: -62_135_769_600)

        /// 2023-06-10, the release of Debian 12: a clock that shows an earlier date was never set.
        package static let earliestSetClock = Timestamp(secondsSince1970: 1_686_355_200)

        /// Negative if this time is earlier.
        public func duration(since other: Timestamp) -> Duration {
            Duration(clampedSeconds: seconds(since: other))
        }

        public func advanced(by duration: Duration) -> Timestamp {
            adding(seconds: duration.inSeconds)
        }

        package func seconds(since other: Timestamp) -> Double {
            secondsSince1970 - other.secondsSince1970
        }

        package func adding(seconds: Double) -> Timestamp {
            Timestamp(secondsSince1970: secondsSince1970 + seconds)
        }

        public static func < (one: Timestamp, other: Timestamp) -> Bool {
            one.secondsSince1970 < other.secondsSince1970
        }
    }
}

extension Timestamp {
    package static func + (time: Timestamp, seconds: Double) -> Timestamp {
        time.adding(seconds: seconds)
    }

    package static func - (time: Timestamp, seconds: Double) -> Timestamp {
        time.adding(seconds: -seconds)
    }
}
