// SPDX-License-Identifier: Apache-2.0

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
