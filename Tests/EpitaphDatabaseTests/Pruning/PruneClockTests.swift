// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite struct PruneClockTests {
    private static let start: Int64 = 1_800_000_000
    private static let day: Int64 = 86_400
    private static let decades = 20 * 366 * day

    /// Passes at these times, and whether each may ask for ages.
    private func trust(_ times: [Int64]) -> [Bool] {
        var clock: PruneClock?
        return times.map { seconds in
            let next = PruneClock.next(
                after: clock, at: Timestamp(secondsSince1970: Double(seconds)))
            clock = next.clock
            return next.isTrusted
        }
    }

    @Test(
        "Which passes may ask for ages",
        arguments: [
            // The first; later ones; small steps back; a year without any.
            ([start], [true]),
            ([start, start + 1, start + 90 * day], [true, true, true]),
            ([start, start - day, start - 2 * day], [true, true, true]),
            ([start, start + 366 * day], [true, true]),
            // A jump ahead that goes away again.
            ([start, start + decades, start + 5], [true, false, true]),
            // A jump ahead that lasts, and one that lasts and ends.
            (
                [start, start + decades, start + decades + 3600, start + decades + day],
                [true, false, false, true]
            ),
            (
                [start, start + decades, start + decades + day, start + 9, start + day + 9],
                [true, false, true, false, true]
            ),
            // A jump back that lasts.
            (
                [start, start - 9 * day, start - 9 * day + 60, start - 8 * day],
                [true, false, false, true]
            ),
            // Two jumps to different times confirm nothing.
            (
                [start, start + 2 * decades, start + decades, start + decades + day],
                [true, false, false, true]
            ),
            // A clock that was never set, first or later, says nothing.
            ([0, 100, start], [false, false, true]),
            ([start, 0, day, 2 * day, start + 60], [true, false, false, false, true]),
            // A machine used once in two years, at last for two days.
            (
                [start, start + 732 * day, start + 1464 * day, start + 1465 * day],
                [true, false, false, true]
            ),
            // A clock that is set, and then jumps.
            ([start, start + 732 * day, start + decades], [true, false, false]),
        ] as [([Int64], [Bool])])
    func table(times: [Int64], expected: [Bool]) {
        #expect(trust(times) == expected)
    }

    @Test("No time is a trap", arguments: [Int64.min, -1, .max, .max - 1])
    func extremes(seconds: Int64) {
        let far = Timestamp(secondsSince1970: Double(seconds))
        let start = Timestamp(secondsSince1970: Double(Self.start))
        for believed in [Int64.min, 0, .max] {
            for jump in [Int64.min, 0, .max, nil] as [Int64?] {
                let clock = PruneClock(believedSeconds: believed, jumpSeconds: jump)
                for now in [far, start, .distantPast, Timestamp(secondsSince1970: 64_092_211_200)] {
                    _ = PruneClock.next(after: clock, at: now)
                }
            }
        }
    }

    @Test("What is written is read, and anything else is nothing")
    func bytes() {
        for clock in [
            PruneClock(believedSeconds: 5), PruneClock(believedSeconds: -5, jumpSeconds: .max),
        ] {
            #expect(PruneClock(clock.bytes) == clock)
            for count in 0..<clock.bytes.count {
                #expect(PruneClock(Array(clock.bytes.prefix(count))) == nil)
            }
        }
        #expect(
            PruneClock(believedSeconds: 7).bytes == Array("epitaph-prune-clock 1 7 -\n".utf8))
        for text in ["epitaph-prune-clock 2 7 -\n", "epitaph-prune-clock 1 x -\n", "\u{FF}\n"] {
            #expect(PruneClock(Array(text.utf8)) == nil)
        }
    }
}
