// SPDX-License-Identifier: Apache-2.0

/// Until when a server is left alone. Pure; times are monotonic seconds.
struct ServerHold: Equatable {
    /// Failures in a row that had nothing to do with one log.
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
    ///   - delaySeconds: tells how long to wait after so many failures.
    ///   - askedSeconds: what the server itself asked for.
    mutating func noteFailure(
        at time: Double, askedSeconds: Double?, delaySeconds: (Int) -> Double
    ) {
        failures = min(failures, Int.max - 1) + 1
        backoffEnd = time + delaySeconds(failures)
        if let askedSeconds { askedEnd = max(askedEnd, time + askedSeconds) }
    }

    /// Another log was rolled, a reason to try once more, unless the server asked to be left alone.
    mutating func lift() {
        backoffEnd = -.infinity
    }
}
