// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload

struct Trouble {
    private let start = ContinuousClock.now
    private var end = ContinuousClock.now
    private(set) var count = 0
    private let schedule: RetrySchedule

    init() {
        // As for inserting into a table.
        var limits = UploadLimits()
        limits.retryInterval = 1
        limits.retryLimit = .max
        schedule = RetrySchedule(limits)
    }

    var isOver: Bool { ContinuousClock.now >= end }

    /// For each failed try; those begun before the last wait count as one. False after too long.
    mutating func lengthen(patience: Double) -> Bool {
        let now = ContinuousClock.now
        guard now >= end else { return true }
        let left = patience - (now - start) / .seconds(1)
        guard left > 0 || count == 0 else { return false }
        count += 1
        let wait = schedule.quickDelaySeconds(
            retry: count, notBeforeSeconds: nil, jitter: Double.random(in: 0...1))
        end = now + .seconds(min(wait ?? RetrySchedule.longestQuickSeconds, max(left, 0)))
        return true
    }
}
