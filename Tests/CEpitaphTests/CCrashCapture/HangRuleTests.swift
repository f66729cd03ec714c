// SPDX-License-Identifier: Apache-2.0

import CEpitaphHandler
import Testing

@Suite("When something counts as hung")
struct HangRuleTests {
    private static let second: UInt64 = 1_000_000_000
    private static let threshold = 2 * second
    private static let poll = second / 2

    /// A look every half second: the beats that were counted until then.
    private func changes(
        _ counts: [UInt64], awaited: [Bool]? = nil, counted: [UInt64]? = nil
    ) -> [epitaph_hang_change] {
        var rule = epitaph_hang_rule()
        return counts.indices.map { index in
            epitaph_hang_rule_look(
                &rule, counts[index], awaited?[index] ?? true, counted?[index] ?? Self.poll,
                Self.threshold)
        }
    }

    private static let (none, began, ended) = (
        EPITAPH_HANG_NONE, EPITAPH_HANG_BEGAN, EPITAPH_HANG_ENDED
    )

    @Test("It begins after the threshold, once, and ends with the next beat")
    func course() {
        let (none, began, ended) = (Self.none, Self.began, Self.ended)
        #expect(
            changes([1, 1, 1, 1, 1, 1, 2, 2])
                == [none, none, none, none, began, none, ended, none])
    }

    @Test("What beats, however slowly, does not hang")
    func slow() {
        #expect(changes([1, 1, 1, 1, 2, 2, 2, 2, 3]).allSatisfy { $0 == Self.none })
    }

    @Test("What is not awaited does not hang, and one that becomes so goes on from zero")
    func paused() {
        let awaited = [true, true, true, false, true, true, true, true]
        let found = changes(Array(repeating: 7, count: 8), awaited: awaited)
        #expect(found == Array(repeating: Self.none, count: 7) + [Self.began])
    }

    @Test("A hang ends when it is not awaited any more")
    func pausedWhileHung() {
        let awaited = [true, true, true, true, true, false]
        #expect(changes(Array(repeating: 7, count: 6), awaited: awaited).last == Self.ended)
    }

    @Test("Time that does not count brings no hang about")
    func gaps() {
        let counted = [0, Self.poll, 0, Self.poll, 0, Self.poll, 0, Self.poll, Self.poll]
        let found = changes(Array(repeating: 7, count: 9), counted: counted)
        #expect(found == Array(repeating: Self.none, count: 7) + [Self.began, Self.none])
    }

    @Test(
        "Time counts when the watching thread woke when it wanted to, and the machine was not suspended",
        arguments: [
            (500, 500, 500), (0, 0, 0), (999, 999, 999), (1000, 1000, 1000),
            // Stopped by SIGSTOP, in a debugger, or starved.
            (1001, 1001, 0), (60_000, 60_000, 0),
            // Suspended: one clock stood still.
            (500, 4_000, 0), (500, 900, 500),
        ] as [(UInt64, UInt64, UInt64)])
    func counted(_ awake: UInt64, _ real: UInt64, _ counts: UInt64) {
        #expect(epitaph_hang_time_that_counts(awake, real, 500) == counts)
    }
}
