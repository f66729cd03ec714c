// SPDX-License-Identifier: Apache-2.0

import EpitaphNames

extension Epitaph {
    /// A point in time of the wall clock, which can jump. About 240 ns precise in our century, as
    /// Foundation's `Date`, which would bring Foundation into every program that links Epitaph.
    public struct Timestamp: Hashable, Sendable, Comparable {
        /// Seconds since the beginning of 1970, UTC, without leap seconds (POSIX time).
        public var secondsSince1970: Double

        /// - Parameter secondsSince1970: POSIX time; times of dumps and clocks can be anything.
        public init(secondsSince1970: Double) {
            self.secondsSince1970 = secondsSince1970
        }

        /// Earlier than every time that is meant.
        public static let distantPast = Timestamp(secondsSince1970: -62_135_769_600)

        /// From another time to this one; negative if this one is earlier.
        public func duration(since other: Timestamp) -> Duration {
            Duration(clampedSeconds: seconds(since: other))
        }

        /// The time that comes so much later, or earlier if it is negative.
        public func advanced(by duration: Duration) -> Timestamp {
            adding(seconds: duration.inSeconds)
        }

        /// Seconds from another time to this one; negative if this one is earlier.
        package func seconds(since other: Timestamp) -> Double {
            secondsSince1970 - other.secondsSince1970
        }

        /// The time that comes so many seconds later, or earlier if they are negative.
        package func adding(seconds: Double) -> Timestamp {
            Timestamp(secondsSince1970: secondsSince1970 + seconds)
        }

        public static func < (one: Timestamp, other: Timestamp) -> Bool {
            one.secondsSince1970 < other.secondsSince1970
        }
    }
}

extension Timestamp {
    /// So many seconds later.
    package static func + (time: Timestamp, seconds: Double) -> Timestamp {
        time.adding(seconds: seconds)
    }

    /// So many seconds earlier.
    package static func - (time: Timestamp, seconds: Double) -> Timestamp {
        time.adding(seconds: -seconds)
    }
}
