// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportUpload

/// How long to wait after so many failures in a row, with the limits and the two speeds that crash
/// reports have: a few quick retries, then a quarter of an hour, doubled up to a day.
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
        // The schedule speaks in dates; any will do to get a span.
        let now = Date(timeIntervalSinceReferenceDate: 0)
        return RetrySchedule(slow).dueTime(
            attempts: max(failures - quickCount, 1), lastAttempt: now, notBefore: nil,
            jitter: jitter, now: now
        ).timeIntervalSince(now)
    }
}
