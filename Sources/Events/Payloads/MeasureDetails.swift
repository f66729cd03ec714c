// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What counters and durations came to since the last such event.
public struct MetricsDetails: EventDetails {
    /// What a counter came to.
    public struct Count: Sendable, Equatable, Codable {
        /// Since the program started.
        public var total: UInt64
        /// Since the last such event.
        public var sinceLast: UInt64
        /// In the last whole second.
        public var lastSecond: UInt64
        /// In the busiest second since the last such event.
        public var busiestSecond: UInt64

        /// A count by its parts.
        public init(total: UInt64, sinceLast: UInt64, lastSecond: UInt64, busiestSecond: UInt64) {
            self.total = total
            self.sinceLast = sinceLast
            self.lastSecond = lastSecond
            self.busiestSecond = busiestSecond
        }
    }

    /// What the durations of one name came to, since the last such event.
    public struct Durations: Sendable, Equatable, Codable {
        /// How many there were.
        public var count: UInt64
        /// How many there were in the last whole second.
        public var lastSecond: UInt64
        /// Their sum, seconds.
        public var totalSeconds: Double
        /// The longest, seconds, at most 1/8 too long; nil where there was none.
        public var longestSeconds: Double?
        /// Half of them were no longer, seconds, at most 1/8 too long.
        public var medianSeconds: Double?
        /// 95 of 100 were no longer, seconds, at most 1/8 too long.
        public var percentile95Seconds: Double?

        /// Durations by their parts.
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

    /// How long it is since the last such event, seconds.
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

/// Events that were dropped since the last event of this kind, by reason.
public struct DroppedEventsDetails: EventDetails {
    /// How many, by the raw value of `DropReason`.
    public var counts: [String: UInt64]

    /// Counts by reason.
    public init(counts: [String: UInt64]) {
        self.counts = counts
    }

    public var byteCount: Int { counts.count * 32 }
}
