// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The figures of counters and durations since the last such event.
    public struct MetricsDetails: EventDetails {
        /// The figures of a counter.
        public struct Count: Sendable, Equatable, Codable {
            /// Since the program started.
            public var total: UInt64
            /// Since the last such event.
            public var sinceLast: UInt64
            /// In the last whole second.
            public var lastSecond: UInt64
            /// In the busiest second since the last such event.
            public var busiestSecond: UInt64

            /// Creates the figures of a counter.
            public init(total: UInt64, sinceLast: UInt64, lastSecond: UInt64, busiestSecond: UInt64)
            {
                self.total = total
                self.sinceLast = sinceLast
                self.lastSecond = lastSecond
                self.busiestSecond = busiestSecond
            }
        }

        /// The figures of durations with one name, since the last such event.
        public struct Durations: Sendable, Equatable, Codable {
            /// How many there were.
            public var count: UInt64
            /// How many there were in the last whole second.
            public var lastSecond: UInt64
            /// Their sum, seconds.
            public var totalSeconds: Double
            /// The longest, in seconds, at most 1/8 too long; nil if there was none.
            public var longestSeconds: Double?
            /// The median, in seconds, at most 1/8 too long.
            public var medianSeconds: Double?
            /// The 95th percentile, in seconds, at most 1/8 too long.
            public var percentile95Seconds: Double?

            /// Creates the figures of durations.
            public init(
                count: UInt64, lastSecond: UInt64, totalSeconds: Double, longestSeconds: Double?,
                medianSeconds: Double?, percentile95Seconds: Double?
            ) {
                self.count = count
                self.lastSecond = lastSecond
                self.totalSeconds = totalSeconds
                self.longestSeconds = longestSeconds
                self.medianSeconds = medianSeconds
                self.percentile95Seconds = percentile95Seconds
            }
        }

        /// The time since the last such event, in seconds.
        public var intervalSeconds: Double
        /// By name.
        public var counters: [String: Count]
        /// By name.
        public var durations: [String: Durations]

        /// Measures by name.
        public init(
            intervalSeconds: Double, counters: [String: Count], durations: [String: Durations]
        ) {
            self.intervalSeconds = intervalSeconds
            self.counters = counters
            self.durations = durations
        }

        public var byteCount: Int {
            counters.keys.reduce(0) { $0 + $1.utf8.count + 80 }
                + durations.keys.reduce(0) { $0 + $1.utf8.count + 160 }
        }
    }
}

extension Epitaph {
    /// How many events were dropped since the last event of this kind, by reason.
    public struct DroppedEventsDetails: EventDetails {
        /// How many, by the raw value of `DropReason`.
        public var counts: [String: UInt64]

        /// Counts by reason.
        public init(counts: [String: UInt64]) {
            self.counts = counts
        }

        public var byteCount: Int { counts.count * 32 }
    }
}
