// SPDX-License-Identifier: Apache-2.0

/// How durations are sorted: by their highest bits, eight steps for each doubling, so that a bucket's
/// upper end is at most an eighth more than anything in it.
enum DurationBuckets {
    private static let stepBits = 3
    private static let steps = 1 << stepBits
    /// Up to 2^43 nanoseconds, two and a half hours; what is longer goes into the last one.
    private static let longestBits = 43
    /// The first eight nanoseconds have a bucket each.
    static let count = steps + (longestBits - stepBits) * steps

    static func index(ofNanoseconds nanoseconds: UInt64) -> Int {
        guard nanoseconds >= UInt64(steps) else { return Int(nanoseconds) }
        let highestBit = UInt64.bitWidth - 1 - nanoseconds.leadingZeroBitCount
        let step = Int(truncatingIfNeeded: nanoseconds >> UInt64(highestBit - stepBits)) - steps
        return min((highestBit - stepBits) * steps + steps + step, count - 1)
    }

    /// The longest duration of a bucket, in nanoseconds.
    static func upperEnd(of index: Int) -> UInt64 {
        guard index >= steps else { return UInt64(index) }
        let (doublings, step) = (index / steps - 1, index % steps)
        return (UInt64(steps + step + 1) << UInt64(doublings)) - 1
    }

    /// The upper end of the bucket below or in which such a share of all durations lies; nil where
    /// there are none.
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
