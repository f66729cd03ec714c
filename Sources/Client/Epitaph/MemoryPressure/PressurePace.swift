// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// How soon to look at memory again: as fast as it can rise. Pure.
struct PressurePace {
    /// A program that fills memory takes no more in a second; few take a tenth of it.
    private static let bytesPerSecond = Double(512 << 20)
    /// While memory rises towards the threshold, and while it stands still just below.
    private static let rising = 0.005
    private static let still = 0.05
    /// Less is no rise: a daemon always allocates and frees something.
    private static let riseBytes = Double(1 << 20)

    /// The share that begins a warning.
    let share: Double
    /// Seconds between two looks where memory is far from scarce.
    let longest: Double
    private var lastFreeBytes: Double?

    init(_ options: Epitaph.MemoryOptions) {
        share = options.marks.usedShare
        longest = options.pollInterval.inSeconds
    }

    /// Seconds until the next look; `longest` during a warning and where nothing is known.
    mutating func seconds(after reading: Epitaph.MemoryReading) -> Double {
        guard let freeBytes = reading.freeBytes(below: share) else { return longest }
        defer { lastFreeBytes = freeBytes }
        guard freeBytes > 0 else { return longest }
        let isRising = lastFreeBytes.map { $0 - freeBytes >= Self.riseBytes } ?? false
        let shortest = min(isRising ? Self.rising : Self.still, longest)
        return (freeBytes / Self.bytesPerSecond).clamped(to: shortest...longest)
    }
}
