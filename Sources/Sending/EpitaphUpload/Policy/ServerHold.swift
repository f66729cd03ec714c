// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Until when a server is left alone. Pure; times are monotonic seconds.
package struct ServerHold: Sendable, Equatable {
    /// Failures in a row that had nothing to do with what was sent.
    package private(set) var failures = 0
    private var backoffEnd = -Double.infinity
    private var askedEnd = -Double.infinity

    package init() {}

    package var end: Double { max(backoffEnd, askedEnd) }

    package mutating func noteAnswer() {
        failures = 0
        backoffEnd = -.infinity
    }

    /// A failure that any other request would have had as well. The server asked for
    /// `askedSeconds`; `delaySeconds` is the wait after this many failures.
    package mutating func noteFailure(
        at time: Double, askedSeconds: Double?, delaySeconds: (Int) -> Double
    ) {
        failures = min(failures, Int.max - 1) + 1
        backoffEnd = time + delaySeconds(failures)
        if let askedSeconds { askedEnd = max(askedEnd, time + askedSeconds) }
    }

    /// Something new to send is a reason for another try, unless the server asked for a pause.
    package mutating func lift() {
        backoffEnd = -.infinity
    }
}

/// After failures in a row: quick retries, then a quarter of an hour, doubled up to a day.
package struct Backoff: Sendable {
    private let limits: UploadLimits

    /// - Parameter limits: only interval, number and behaviour of retries are used.
    package init(limits: UploadLimits) {
        self.limits = limits
    }

    /// - Parameter failures: in a row, 1 or more.
    package func delaySeconds(failures: Int, jitter: Double) -> Double {
        let quick = RetrySchedule(limits).quickDelaySeconds(
            retry: failures, notBeforeSeconds: nil, jitter: jitter)
        if let quick { return quick }
        var slow = limits
        slow.retryBehaviour = .none
        let quickCount = limits.retryBehaviour == .interval ? max(limits.retryLimit, 0) : 0
        // The schedule uses dates; any date will do to compute an interval.
        let now = Timestamp(secondsSince1970: 0)
        return RetrySchedule(slow).dueTime(
            attempts: max(failures - quickCount, 1), lastAttempt: now, notBefore: nil,
            jitter: jitter, now: now
        ).seconds(since: now)
    }
}
