// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// When a report that did not arrive is tried again. Pure. Within a run of the uploader it gets a
/// few quick retries, for a server that restarts. Then it waits for its long-term schedule, over
/// launches and days: a quarter of an hour, doubled each time, up to a day, for ever.
package struct RetrySchedule: Sendable, Equatable {
    package static let longestQuickSeconds = 300.0
    /// The wait after the first pass without success, seconds; doubled each time.
    package static let firstLongTermSeconds = 900.0
    /// The longest wait between two passes, seconds: a day.
    package static let longestLongTermSeconds = 86_400.0
    /// Stretches waits by up to this share: daemons must not return all at once.
    package static let jitterShare = 0.25

    package var limits: UploadLimits

    /// - Parameter limits: interval, number and behaviour of retries are used.
    package init(_ limits: UploadLimits = UploadLimits()) {
        self.limits = limits
    }

    /// Seconds to wait before a quick retry; nil if there is none.
    ///
    /// - Parameters:
    ///   - retry: 1 for the first.
    ///   - notBeforeSeconds: asked for by the server. A wait longer than any quick one is left to
    ///     the long-term schedule.
    ///   - jitter: from 0 to 1.
    package func quickDelaySeconds(
        retry: Int, notBeforeSeconds: Double?, jitter: Double
    ) -> Double? {
        guard limits.retryBehaviour == .interval, retry >= 1, retry <= limits.retryLimit else {
            return nil
        }
        let base = max(limits.retryInterval, 0) * pow2(retry - 1)
        let own = min(base, Self.longestQuickSeconds) * (1 + Self.jitterShare * clamped(jitter))
        guard let asked = notBeforeSeconds else { return own }
        return asked <= Self.longestQuickSeconds ? max(asked, own) : nil
    }

    /// When a report without quick retries left is due; `.distantPast` for one never tried.
    ///
    /// - Parameters:
    ///   - attempts: all that failed, quick ones included.
    ///   - lastAttempt: if it is further in the future than any wait, the clock was set back since,
    ///     and the report is due.
    ///   - notBefore: asked for by a server; ignored if more than a day ahead, for the same reason.
    ///   - jitter: from 0 to 1; constant for one report, or its time would move.
    package func dueTime(
        attempts: Int, lastAttempt: Timestamp?, notBefore: Timestamp?, jitter: Double,
        now: Timestamp
    ) -> Timestamp {
        let quick = quickRetries
        let rounds = (max(attempts, 1) - 1) / (quick == .max ? .max : quick + 1)
        let delay = longTermDelaySeconds(rounds: rounds, jitter: jitter)
        var due = Timestamp.distantPast
        if attempts > 0, let lastAttempt, lastAttempt.seconds(since: now) <= delay {
            due = lastAttempt.adding(seconds: delay)
        }
        // Measured from now, such a time would move along with the clock for ever.
        guard let notBefore, Self.isSane(notBefore: notBefore, now: now) else { return due }
        return max(due, notBefore)
    }

    /// After failures in a row that are counted for all quick and long waits together.
    ///
    /// - Parameter failures: 1 or more.
    package func delaySeconds(afterFailures failures: Int, jitter: Double) -> Double {
        quickDelaySeconds(retry: failures, notBeforeSeconds: nil, jitter: jitter)
            ?? longTermDelaySeconds(rounds: max(failures - quickRetries, 1) - 1, jitter: jitter)
    }

    private var quickRetries: Int {
        limits.retryBehaviour == .interval ? max(limits.retryLimit, 0) : 0
    }

    private func longTermDelaySeconds(rounds: Int, jitter: Double) -> Double {
        min(Self.firstLongTermSeconds * pow2(rounds), Self.longestLongTermSeconds)
            * (1 + Self.jitterShare * clamped(jitter))
    }

    /// At most a day.
    package static func isSane(notBefore: Timestamp, now: Timestamp) -> Bool {
        notBefore.seconds(since: now) <= RetryAfter.longestSeconds + 1
    }

    private func clamped(_ jitter: Double) -> Double {
        jitter.isFinite ? min(max(jitter, 0), 1) : 0
    }

    private func pow2(_ exponent: Int) -> Double {
        Double(1 << UInt64(min(max(exponent, 0), 32)))
    }
}
