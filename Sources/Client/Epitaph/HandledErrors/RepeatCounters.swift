// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts errors of kinds that were reported already, by any number of threads at once, without a
/// lock: in a flood each call is a look into a table and an addition.
///
/// Places are given out, and what was counted is taken, by one thread at a time; a kind that finds
/// no place is counted under the lock, as before.
final class RepeatCounters: Sendable {
    /// What was counted of a kind since it was taken the last time.
    struct Count: Equatable {
        var key: UInt64
        var count: Int
        var firstSeconds: Double
        var lastSeconds: Double
    }

    /// The word of a place: whether it is open, which use of the place this is, and the count. An
    /// addition fails if the place was closed or given to another kind meanwhile.
    private struct Word {
        static let open: UInt64 = 1 << 63
        static let useStep: UInt64 = 1 << 40
        static let countMask = useStep - 1

        static func next(after word: UInt64) -> UInt64 {
            (word & ~open & ~countMask) &+ useStep & ~open
        }
    }

    private struct Place: ~Copyable {
        let word = Atomic<UInt64>(0)
        let key = Atomic<UInt64>(0)
        /// Seconds, as the bits of a Double.
        let end = Atomic<UInt64>(0)
        let first = Atomic<UInt64>(0)
        let last = Atomic<UInt64>(0)
    }

    private static let placeCount = 2 * FloodControl.entryLimit
    /// How far from where a key belongs it may lie.
    private static let reach = 16

    // Its contents are atomics, and it lives as long as this.
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Place>
    /// Until when nothing that is not counted is reported, as the bits of a Double.
    private let fullUntil = Atomic<UInt64>(0)

    init() {
        places = .allocate(capacity: Self.placeCount)
        for index in 0..<Self.placeCount { (places + index).initialize(to: Place()) }
    }

    deinit {
        for index in 0..<Self.placeCount { (places + index).deinitialize(count: 1) }
        places.deallocate()
    }

    /// What can be decided without the lock.
    enum Decision {
        case counted
        /// There may be no report now, and none of its kind was made lately.
        case tooMany
        /// Not without the lock.
        case open
    }

    /// Counts one more of a kind, if that is one whose window is open.
    func count(_ key: UInt64, at seconds: Double) -> Decision {
        guard let index = index(of: key) else {
            return seconds < self.seconds(fullUntil) ? .tooMany : .open
        }
        while true {
            let word = places[index].word.load(ordering: .acquiring)
            guard word & Word.open != 0, word & Word.countMask < Word.countMask,
                places[index].key.load(ordering: .acquiring) == key,
                seconds < self.seconds(places[index].end)
            else { return .open }
            let (exchanged, _) = places[index].word.compareExchange(
                expected: word, desired: word + 1, ordering: .acquiringAndReleasing)
            guard exchanged else { continue }
            if word & Word.countMask == 0 {
                places[index].first.store(seconds.bitPattern, ordering: .relaxed)
            }
            places[index].last.store(seconds.bitPattern, ordering: .relaxed)
            return .counted
        }
    }

    /// Errors of no known kind are dropped at once until then.
    func refuseOthers(until seconds: Double) {
        fullUntil.store(seconds.bitPattern, ordering: .releasing)
    }

    // The following are called by one thread at a time.

    /// Counts a kind from now on, until its window ends; one that is counted already goes on.
    func begin(_ key: UInt64, until end: Double) {
        if let index = index(of: key) {
            places[index].end.store(end.bitPattern, ordering: .releasing)
        } else if let index = freeIndex(for: key) {
            // Closed until it is complete.
            let word = Word.next(after: places[index].word.load(ordering: .relaxed))
            places[index].word.store(word, ordering: .releasing)
            places[index].key.store(key, ordering: .releasing)
            places[index].end.store(end.bitPattern, ordering: .releasing)
            places[index].word.store(word | Word.open, ordering: .releasing)
        }
    }

    /// What was counted of a kind, which is taken; nil for nothing.
    func take(_ key: UInt64) -> Count? {
        guard let index = index(of: key) else { return nil }
        return take(at: index)
    }

    /// What was counted of all kinds, which is taken.
    func takeAll() -> [Count] {
        (0..<Self.placeCount).compactMap(take)
    }

    /// Ends the counting of kinds.
    ///
    /// - Returns: what was counted of them since it was taken.
    func end(where isOver: (UInt64) -> Bool) -> [Count] {
        var left: [Count] = []
        for index in 0..<Self.placeCount {
            let key = places[index].key.load(ordering: .relaxed)
            guard key != 0, isOver(key) else { continue }
            let word = Word.next(after: places[index].word.load(ordering: .relaxed))
            let last = places[index].word.exchange(word, ordering: .acquiringAndReleasing)
            if let count = count(key, Int(last & Word.countMask), at: index) { left.append(count) }
            places[index].key.store(0, ordering: .releasing)
        }
        return left
    }

    private func take(at index: Int) -> Count? {
        let key = places[index].key.load(ordering: .relaxed)
        guard key != 0 else { return nil }
        while true {
            let word = places[index].word.load(ordering: .acquiring)
            guard word & Word.countMask != 0 else { return nil }
            // Others may add meanwhile.
            let (exchanged, _) = places[index].word.compareExchange(
                expected: word, desired: word & ~Word.countMask, ordering: .acquiringAndReleasing)
            if exchanged { return count(key, Int(word & Word.countMask), at: index) }
        }
    }

    private func count(_ key: UInt64, _ count: Int, at index: Int) -> Count? {
        guard count > 0 else { return nil }
        let last = seconds(places[index].last)
        // Whoever counted the first may not have written its time yet.
        let first = min(seconds(places[index].first), last)
        return Count(key: key, count: count, firstSeconds: first, lastSeconds: last)
    }

    private func index(of key: UInt64) -> Int? {
        guard key != 0 else { return nil }
        return indices(for: key).first { places[$0].key.load(ordering: .acquiring) == key }
    }

    private func freeIndex(for key: UInt64) -> Int? {
        guard key != 0 else { return nil }
        return indices(for: key).first { places[$0].key.load(ordering: .relaxed) == 0 }
    }

    private func indices(for key: UInt64) -> some Sequence<Int> {
        let start = Int(truncatingIfNeeded: key >> 8)
        return (0..<Self.reach).lazy.map { (start &+ $0) & (Self.placeCount - 1) }
    }

    private func seconds(_ bits: borrowing Atomic<UInt64>) -> Double {
        Double(bitPattern: bits.load(ordering: .acquiring))
    }
}
