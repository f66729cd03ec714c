// SPDX-License-Identifier: Apache-2.0

/// Limits events per second, to leave room for rare ones. Pure; times are monotonic seconds.
struct EventBudget: Sendable {
    private let perSecond: Int
    private var second = -Double.infinity
    private var spent = 0
    private var leftOut = 0

    /// - Parameter perSecond: 0 or less allows none.
    init(perSecond: Int) {
        self.perSecond = perSecond
    }

    /// Returns nil if this event is over the limit; otherwise how many before it were.
    mutating func spend(at time: Double) -> Int? {
        if time - second >= 1 {
            second = time
            spent = 0
        }
        guard spent < perSecond else {
            leftOut += 1
            return nil
        }
        spent += 1
        defer { leftOut = 0 }
        return leftOut
    }
}
