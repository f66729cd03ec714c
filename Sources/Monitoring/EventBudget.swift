// SPDX-License-Identifier: Apache-2.0

/// At most so many events in a second, so that what happens often leaves room for what happens
/// rarely. Pure; times are monotonic seconds.
struct EventBudget: Sendable {
    private let perSecond: Int
    private var second = -Double.infinity
    private var spent = 0
    private var leftOut = 0

    /// - Parameter perSecond: 0 or less for none at all.
    init(perSecond: Int) {
        self.perSecond = perSecond
    }

    /// - Returns: nil where it is one too many; otherwise how many were too many before.
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
