// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphUpload

/// When a report is tried again.
@Suite struct RetryScheduleTests {
    private let now = Timestamp(secondsSince1970: 1_800_000_000)

    @Test(
        "Quick retries wait twice as long each time, and there are three of them",
        arguments: [(0, nil), (1, 5), (2, 10), (3, 20), (4, nil), (-1, nil)] as [(Int, Double?)])
    func quick(retry: Int, seconds: Double?) {
        let schedule = RetrySchedule()
        #expect(
            schedule.quickDelaySeconds(retry: retry, notBeforeSeconds: nil, jitter: 0) == seconds)
    }

    @Test("Jitter stretches a wait by up to a quarter")
    func jitter() {
        let schedule = RetrySchedule()
        func delay(_ jitter: Double) -> Double? {
            schedule.quickDelaySeconds(retry: 1, notBeforeSeconds: nil, jitter: jitter)
        }
        #expect(delay(1) == 6.25)
        #expect(delay(7) == 6.25)
        #expect(delay(.nan) == 5)
    }

    @Test("A quick retry waits as long as the server asks, if that is no more than five minutes")
    func askedFor() {
        let schedule = RetrySchedule()
        func delay(_ asked: Double) -> Double? {
            schedule.quickDelaySeconds(retry: 1, notBeforeSeconds: asked, jitter: 0)
        }
        #expect(delay(2) == 5)
        #expect(delay(300) == 300)
        #expect(delay(301) == nil)
    }

    @Test("Without retries there are none, and with many they stay under five minutes")
    func limits() {
        var limits = UploadLimits()
        limits.retryBehaviour = .none
        #expect(
            RetrySchedule(limits).quickDelaySeconds(retry: 1, notBeforeSeconds: nil, jitter: 0)
                == nil)
        limits.retryBehaviour = .interval
        limits.retryLimit = .max
        #expect(
            RetrySchedule(limits).quickDelaySeconds(retry: .max, notBeforeSeconds: nil, jitter: 0)
                == 300)
    }

    @Test(
        "The long-term schedule begins after a quarter of an hour, doubles each launch and ends at a day",
        arguments: [
            (1, 900.0), (4, 900), (5, 1_800), (8, 1_800), (9, 3_600), (25, 57_600), (29, 86_400),
            (4_000, 86_400), (Int.max, 86_400),
        ] as [(Int, Double)])
    func longTerm(attempts: Int, seconds: Double) {
        let due = RetrySchedule().dueTime(
            attempts: attempts, lastAttempt: now, notBefore: nil, jitter: 0, now: now)
        #expect(due.seconds(since: now) == seconds)
    }

    @Test("A report that was never tried is due, whatever the clock says")
    func fresh() {
        let schedule = RetrySchedule()
        #expect(
            schedule.dueTime(attempts: 0, lastAttempt: nil, notBefore: nil, jitter: 1, now: now)
                == .distantPast)
    }

    @Test(
        "A clock that was set back starves no report: times from before do not move along with it",
        arguments: [
            (0.0, nil, 900.0), (900, nil, 1_800), (901, nil, -.infinity), (1e9, nil, -.infinity),
            (-1e9, nil, 900 - 1e9), (0, 86_400, 86_400), (0, 86_402, 900), (0, 1e9, 900),
            (0, 10, 900), (901, 60, 60), (1e9, 1e9, -.infinity),
        ] as [(Double, Double?, Double)])
    func clockJumps(last: Double, notBefore: Double?, expected: Double) {
        let due = RetrySchedule().dueTime(
            attempts: 1, lastAttempt: now + last, notBefore: notBefore.map { now + $0 }, jitter: 0,
            now: now)
        #expect(due == (expected == -.infinity ? .distantPast : now + expected))
    }

    @Test("A limit as large as a number can be traps nothing")
    func hugeLimit() {
        var limits = UploadLimits()
        limits.retryLimit = .max
        let due = RetrySchedule(limits).dueTime(
            attempts: .max, lastAttempt: now, notBefore: nil, jitter: 0, now: now)
        #expect(due == now + 900)
    }
}
