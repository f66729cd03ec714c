// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension UploadPass {
    private struct Obstacle {
        let reason: SkipReason
        /// Until the next check.
        let seconds: Double
        var concernsAll = true
        var isAsked = false
    }

    /// Waits, as patience allows, until a report may be sent. Returns what prevents it.
    mutating func waitForLeave(_ report: PendingReport) -> SkipReason? {
        while true {
            if uploader.clock.isStopped {
                end = .stopped
                return end
            }
            guard let obstacle = obstacle(to: report) else {
                if waitForRate() { continue }
                heldUpSeconds = 0
                return nil
            }
            let total = heldUpSeconds + obstacle.seconds
            let asked = (askedSeconds ?? 0) + obstacle.seconds
            // A short wait for which the server asked is no lack of a server.
            let isWaitedFor = obstacle.isAsked && asked <= RetrySchedule.longestQuickSeconds
            guard isWaitedFor || total <= uploader.rules.patienceSeconds else {
                if obstacle.concernsAll { end = obstacle.reason }
                return obstacle.reason
            }
            heldUpSeconds = total
            if obstacle.isAsked { askedSeconds = asked }
            settleBatch()
            uploader.clock.wait(seconds: obstacle.seconds)
        }
    }

    private mutating func obstacle(to report: PendingReport) -> Obstacle? {
        let again = max(uploader.rules.askAgainSeconds, 1)
        if let pause = presentPause() { return pause }
        if !uploader.network.mayReach(uploader.destination.server) {
            return Obstacle(reason: .noNetwork, seconds: again)
        }
        if case .closed(let reason)? = uploader.callbacks.gate?(report) {
            return Obstacle(reason: .notNow(reason: reason), seconds: again, concernsAll: false)
        }
        return nil
    }

    /// A minute at most, beside the patience. Returns whether it waited.
    private mutating func waitForRate() -> Bool {
        let delay = uploader.rateLimit.delaySeconds(at: now)
        guard delay > 0 else { return false }
        uploader.callbacks.delegate?.didReachLimit(uploader.rules.limits, waiting: .seconds(delay))
        settleBatch()
        uploader.clock.wait(seconds: delay)
        return true
    }

    private mutating func presentPause() -> Obstacle? {
        if let pause {
            guard pause.end > now else {
                self.pause = nil
                return presentPause()
            }
            return obstacle(pause.reason, seconds: pause.end - now)
        }
        let time = uploader.clock.now()
        // Unreadable counts as unknown: the server will say it again.
        let known = (try? uploader.queue.pauseEnd(of: uploader.destination.server)) ?? nil
        guard let known, known > time, RetrySchedule.isSane(notBefore: known, now: time) else {
            return nil
        }
        return obstacle(.serverPaused(until: known), seconds: known.seconds(since: time))
    }

    private func obstacle(_ reason: SkipReason, seconds: Double) -> Obstacle {
        var isAsked = false
        if case .serverPaused = reason { isAsked = askedSeconds != nil }
        return Obstacle(reason: reason, seconds: seconds, isAsked: isAsked)
    }
}
