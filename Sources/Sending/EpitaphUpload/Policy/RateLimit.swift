// SPDX-License-Identifier: Apache-2.0

/// In any 60 seconds, by a monotonic clock, whatever happens to the time of day.
package struct RateLimit: Sendable, Equatable {
    static let windowSeconds = 60.0

    private let reportsPerMinute: Int
    /// The requests of the last minute, oldest first; never more than allowed.
    private var times: [Double] = []

    package init(reportsPerMinute: Int) {
        self.reportsPerMinute = reportsPerMinute
    }

    /// Seconds until the next request may be made; 0 for at once.
    package func delaySeconds(at now: Double) -> Double {
        guard reportsPerMinute > 0, times.count >= reportsPerMinute else { return 0 }
        let oldest = times[times.count - reportsPerMinute]
        return max(oldest + Self.windowSeconds - now, 0)
    }

    func room(at now: Double) -> Int {
        guard reportsPerMinute > 0 else { return .max }
        return max(reportsPerMinute - times.count { $0 + Self.windowSeconds > now }, 0)
    }

    package mutating func note(at now: Double) {
        guard reportsPerMinute > 0 else { return }
        times.removeAll { $0 + Self.windowSeconds <= now }
        times.append(now)
        if times.count > reportsPerMinute { times.removeFirst(times.count - reportsPerMinute) }
    }
}
