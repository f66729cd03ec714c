// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Synchronization
import Testing

@testable import Epitaph

@Suite struct RepeatCountersTests {
    @Test("A kind is counted from its beginning to the end of its window, and taken once")
    func oneKind() {
        let counters = RepeatCounters()
        #expect(counters.count(7, at: 0) == .open)
        counters.begin(7, until: 60)
        #expect(counters.take(7) == nil)
        #expect(counters.count(7, at: 1) == .counted)
        #expect(counters.count(7, at: 5) == .counted)
        #expect(counters.count(8, at: 5) == .open)
        #expect(
            counters.take(7)
                == RepeatCounters.Count(key: 7, count: 2, firstSeconds: 1, lastSeconds: 5))
        #expect(counters.takeAll() == [])
        #expect(counters.count(7, at: 60) == .open)
        counters.begin(7, until: 120)
        #expect(counters.count(7, at: 61) == .counted)
        #expect(counters.end { $0 == 7 }.map(\.count) == [1])
        #expect(counters.count(7, at: 62) == .open)
    }

    @Test("What is new is refused for as long as there may be no report, and what is known is not")
    func refusal() {
        let counters = RepeatCounters()
        counters.begin(1, until: 60)
        counters.refuseOthers(until: 10)
        #expect(counters.count(2, at: 9) == .tooMany)
        #expect(counters.count(1, at: 9) == .counted)
        #expect(counters.count(2, at: 10) == .open)
    }

    @Test("Of more kinds than there are places some are left to the lock, and none is mixed up")
    func full() {
        let counters = RepeatCounters()
        let keys = (1...2_000).map { UInt64($0) &* 0x9e37_79b9_7f4a_7c15 }
        for key in keys { counters.begin(key, until: 60) }
        let counted = keys.filter { counters.count($0, at: 1) == .counted }
        #expect(counted.count > 256)
        let taken = counters.takeAll()
        #expect(Set(taken.map(\.key)) == Set(counted))
        #expect(taken.allSatisfy { $0.count == 1 })
    }

    @Test("Nothing is lost while sixteen threads count and one takes, ends and begins")
    func manyThreads() {
        let counters = RepeatCounters()
        let isOver = Atomic(false)
        let kinds: [UInt64] = [1, 2, 3].map { $0 << 40 | $0 }
        for kind in kinds { counters.begin(kind, until: 60) }
        let threads = (0..<16).map { _ in
            BackgroundThread.Work("counting") {
                var counted = 0
                for number in 0..<20_000
                where counters.count(kinds[number % 3], at: 1) == .counted {
                    counted += 1
                }
                return counted
            }
        }
        let taker = BackgroundThread.Work("taking") {
            var taken = 0
            while !isOver.load(ordering: .acquiring) {
                taken += counters.takeAll().map(\.count).reduce(0, +)
                taken += counters.end { $0 == kinds[1] }.map(\.count).reduce(0, +)
                counters.begin(kinds[1], until: 60)
            }
            return taken
        }
        let counted = threads.map { $0.wait() }.reduce(0, +)
        isOver.store(true, ordering: .releasing)
        let taken = taker.wait() + counters.takeAll().map(\.count).reduce(0, +)
        #expect(taken == counted)
        #expect(counted >= 16 * 13_000)
    }
}
