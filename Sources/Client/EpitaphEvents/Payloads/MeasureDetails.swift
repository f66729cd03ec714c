// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Figures of counters and durations since the last such event.
    public struct MetricsDetails: EventDetails {
        public struct Count: Sendable, Equatable, Codable {
            /// Since the program started.
            public var total: UInt64
            /// Since the last such event.
            public var sinceLast: UInt64
            /// In the last whole second.
            public var lastSecond: UInt64
            /// In the busiest second since the last such event.
            public var busiestSecond: UInt64

            public init(total: UInt64, sinceLast: UInt64, lastSecond: UInt64, busiestSecond: UInt64)
            {
                self.total = total
                self.sinceLast = sinceLast
                self.lastSecond = lastSecond
                self.busiestSecond = busiestSecond
            }
        }

        /// Figures of durations with one name, since the last such event.
        public struct Durations: Sendable, Equatable, Codable {
            public var count: UInt64
            public var lastSecond: UInt64
            /// In seconds.
            public var totalSeconds: Double
            /// In seconds, at most 1/8 too long; nil if there was none.
            public var longestSeconds: Double?
            /// In seconds, at most 1/8 too long.
            public var medianSeconds: Double?
            /// In seconds, at most 1/8 too long.
            public var percentile95Seconds: Double?

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
        public var counters: [String: Count]
        public var durations: [String: Durations]

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

    /// Events dropped since the last such event, by reason.
    public struct DroppedEventsDetails: EventDetails {
        /// By the raw value of `DropReason`.
        public var counts: [String: UInt64]

        public init(counts: [String: UInt64]) {
            self.counts = counts
        }

        public var byteCount: Int { counts.count * 32 }
    }
}
