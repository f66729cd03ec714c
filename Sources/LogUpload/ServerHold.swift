// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportUpload

/// Until when a server gets no requests. Pure; times are monotonic seconds.
struct ServerHold: Equatable {
    /// Failures in a row that were not the fault of one log.
    private(set) var failures = 0
    private var backoffEnd = -Double.infinity
    private var askedEnd = -Double.infinity

    /// When requests may be made again.
    var end: Double { max(backoffEnd, askedEnd) }

    mutating func noteAnswer() {
        failures = 0
        backoffEnd = -.infinity
    }

    /// - Parameters:
    ///   - delaySeconds: how long to wait after this many failures.
    ///   - askedSeconds: the pause that the server itself asked for.
    mutating func noteFailure(
        at time: Double, askedSeconds: Double?, delaySeconds: (Int) -> Double
    ) {
        failures = min(failures, Int.max - 1) + 1
        backoffEnd = time + delaySeconds(failures)
        if let askedSeconds { askedEnd = max(askedEnd, time + askedSeconds) }
    }

    /// Another log was rolled, which is a reason to try once more, unless the server asked for a
    /// pause.
    mutating func lift() {
        backoffEnd = -.infinity
    }
}

/// How long to wait after this many failures in a row, with the limits and the two speeds of crash
/// reports: a few quick retries, then a quarter of an hour, doubled up to a day.
struct Backoff: Sendable {
    var limits: UploadLimits

    /// - Parameter jitter: from 0 to 1.
    func delaySeconds(failures: Int, jitter: Double) -> Double {
        let quick = RetrySchedule(limits).quickDelaySeconds(
            retry: failures, notBeforeSeconds: nil, jitter: jitter)
        if let quick { return quick }
        var slow = limits
        slow.retryBehaviour = .none
        let quickCount = limits.retryBehaviour == .interval ? max(limits.retryLimit, 0) : 0
        // The schedule uses dates; any date will do to compute an interval.
        let now = Date(timeIntervalSinceReferenceDate: 0)
        return RetrySchedule(slow).dueTime(
            attempts: max(failures - quickCount, 1), lastAttempt: now, notBefore: nil,
            jitter: jitter, now: now
        ).timeIntervalSince(now)
    }
}
