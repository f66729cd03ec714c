// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Whether now is a time to send.
extension UploadPass {
    private struct Obstacle {
        let reason: SkipReason
        /// Until it makes sense to look again.
        let seconds: Double
        /// Whether it is in the way of every report.
        var concernsAll = true
    }

    /// Waits, as long as there is patience, until nothing stands in the way of a report.
    ///
    /// - Returns: what still does.
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
            guard total <= uploader.rules.patienceSeconds else {
                if obstacle.concernsAll { end = obstacle.reason }
                return obstacle.reason
            }
            heldUpSeconds = total
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

    /// A wait that is part of going on, of a minute at most; it does not count against the
    /// patience.
    ///
    /// - Returns: whether there was one, in which much may have changed.
    private mutating func waitForRate() -> Bool {
        let delay = uploader.rateLimit.delaySeconds(at: now)
        guard delay > 0 else { return false }
        uploader.callbacks.delegate?.didReachLimit(uploader.rules.limits, waitingSeconds: delay)
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
            return Obstacle(reason: pause.reason, seconds: pause.end - now)
        }
        let time = uploader.clock.now()
        // Unreadable is as good as unknown: the server will say it again.
        let known = (try? uploader.queue.pauseEnd(of: uploader.destination.server)) ?? nil
        guard let known, known > time, RetrySchedule.isSane(notBefore: known, now: time) else {
            return nil
        }
        return Obstacle(
            reason: .serverPaused(until: known), seconds: known.timeIntervalSince(time))
    }
}
