// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts errors of reported kinds without a lock, from any number of threads: in a flood each call
/// costs a table lookup and an addition. Only one thread at a time assigns slots and collects
/// counts. A kind without a free slot is counted under the lock.
final class RepeatCounters: Sendable {
    struct Count: Equatable {
        var key: UInt64
        var count: Int
        var firstSeconds: Double
        var lastSeconds: Double
    }

    /// The word of a slot: whether it is open, the number of its use, and the count, so that an
    /// addition fails if the slot was closed or reassigned meanwhile.
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
    /// The largest distance of a key from its hash position.
    private static let reach = 16

    // It holds atomics, and lives as long as this object.
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Place>
    /// Until when errors of unknown kinds are dropped, as the bits of a Double.
    private let fullUntil = Atomic<UInt64>(0)

    init() {
        places = .allocate(capacity: Self.placeCount)
        for index in 0..<Self.placeCount { (places + index).initialize(to: Place()) }
    }

    deinit {
        for index in 0..<Self.placeCount { (places + index).deinitialize(count: 1) }
        places.deallocate()
    }

    enum Decision {
        case counted
        /// No report is allowed now, and this kind was not reported recently.
        case tooMany
        case open
    }

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

    func refuseOthers(until seconds: Double) {
        fullUntil.store(seconds.bitPattern, ordering: .releasing)
    }

    // The following are called by one thread at a time.

    func begin(_ key: UInt64, until end: Double) {
        if let index = index(of: key) {
            places[index].end.store(end.bitPattern, ordering: .releasing)
        } else if let index = freeIndex(for: key) {
            // The slot stays closed until it is complete.
            let word = Word.next(after: places[index].word.load(ordering: .relaxed))
            places[index].word.store(word, ordering: .releasing)
            places[index].key.store(key, ordering: .releasing)
            places[index].end.store(end.bitPattern, ordering: .releasing)
            places[index].word.store(word | Word.open, ordering: .releasing)
        }
    }

    func take(_ key: UInt64) -> Count? {
        guard let index = index(of: key) else { return nil }
        return take(at: index)
    }

    func takeAll() -> [Count] {
        (0..<Self.placeCount).compactMap(take)
    }

    /// Stops counting some kinds. Returns their counts since the last collection.
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
            // Other threads may add meanwhile.
            let (exchanged, _) = places[index].word.compareExchange(
                expected: word, desired: word & ~Word.countMask, ordering: .acquiringAndReleasing)
            if exchanged { return count(key, Int(word & Word.countMask), at: index) }
        }
    }

    private func count(_ key: UInt64, _ count: Int, at index: Int) -> Count? {
        guard count > 0 else { return nil }
        let last = seconds(places[index].last)
        // The thread that counted the first error may not have written its time yet.
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
