// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct PressurePace {
    /// A program that fills memory takes no more in a second; few take a tenth of it.
    private static let bytesPerSecond = Double(512 << 20)
    /// While memory rises towards the threshold, and while it stands still just below.
    private static let rising = 0.005
    private static let still = 0.05
    /// Less is no rise: a daemon always allocates and frees something.
    private static let riseBytes = Double(1 << 20)
    /// A rush to the limit: at least so much between two looks, with half of it used.
    private static let rushBytes = Double(4 << 20)
    private static let rushShare = 0.5
    private static let rushSeconds = 0.2

    let share: Double
    let longest: Double
    /// Seconds until the limit is met at the speed of the last two looks; nil if that is long.
    private(set) var secondsLeft: Double?
    private var last: (freeBytes: Double, seconds: Double)?

    init(_ options: Epitaph.MemoryOptions) {
        share = options.marks.usedShare
        longest = options.pollInterval.inSeconds
    }

    /// Seconds until the next look; `longest` beyond the threshold and where nothing is known.
    mutating func seconds(after reading: Epitaph.MemoryReading, at seconds: Double) -> Double {
        secondsLeft = nil
        guard let freeBytes = reading.freeBytes(below: share) else { return longest }
        let rise = last.map { $0.freeBytes - freeBytes } ?? 0
        let elapsed = last.map { seconds - $0.seconds } ?? 0
        last = (freeBytes, seconds)
        if rise >= Self.rushBytes, elapsed > 0, reading.usedShare ?? 0 >= Self.rushShare {
            let left = (reading.freeBytes(below: 1) ?? 0) / (rise / elapsed)
            secondsLeft = left < Self.rushSeconds ? max(left, 0) : nil
        }
        guard freeBytes > 0 else { return longest }
        let shortest = min(rise >= Self.riseBytes ? Self.rising : Self.still, longest)
        return (freeBytes / Self.bytesPerSecond).clamped(to: shortest...longest)
    }
}
