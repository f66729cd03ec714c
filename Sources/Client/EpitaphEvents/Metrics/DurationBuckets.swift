// SPDX-License-Identifier: Apache-2.0

/// Eight buckets per power of two: an upper end is at most 1/8 above any duration in its bucket.
enum DurationBuckets {
    private static let stepBits = 3
    private static let steps = 1 << stepBits
    /// The last bucket holds everything from 2^43 ns on, about two and a half hours.
    private static let longestBits = 43
    /// The first eight nanoseconds have a bucket each.
    static let count = steps + (longestBits - stepBits) * steps

    static func index(ofNanoseconds nanoseconds: UInt64) -> Int {
        guard nanoseconds >= UInt64(steps) else { return Int(nanoseconds) }
        let highestBit = UInt64.bitWidth - 1 - nanoseconds.leadingZeroBitCount
        let step = Int(truncatingIfNeeded: nanoseconds >> UInt64(highestBit - stepBits)) - steps
        return min((highestBit - stepBits) * steps + steps + step, count - 1)
    }

    /// The longest duration of a bucket, in ns.
    static func upperEnd(of index: Int) -> UInt64 {
        guard index >= steps else { return UInt64(index) }
        let (doublings, step) = (index / steps - 1, index % steps)
        return (UInt64(steps + step + 1) << UInt64(doublings)) - 1
    }

    /// The upper end of the bucket that reaches this share of durations; nil without durations.
    static func percentile(_ share: Double, of counts: [UInt64]) -> UInt64? {
        let total = counts.reduce(0, &+)
        guard total > 0 else { return nil }
        let wanted = max(UInt64((Double(total) * share).rounded(.up)), 1)
        var seen: UInt64 = 0
        for (index, count) in counts.enumerated() {
            seen &+= count
            if seen >= wanted { return upperEnd(of: index) }
        }
        return nil
    }
}
