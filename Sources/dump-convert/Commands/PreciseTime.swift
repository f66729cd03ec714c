// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials

/// Times for programs, which may want to sort by them.
enum PreciseTime {
    /// `2026-08-22T03:14:07.250001Z`; without a fraction where there is none, RFC 3339 5.6.
    static func timestamp(_ date: Date) -> String {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        let second = (microseconds / 1_000_000).rounded(.down)
        let whole = UTCTime.timestamp(Date(timeIntervalSince1970: second))
        let rest = microseconds - second * 1_000_000
        guard rest > 0, rest < 1_000_000, whole.hasSuffix("Z") else { return whole }
        let digits = String(Int(rest))
        let fraction = String(repeating: "0", count: 6 - digits.count) + digits
        return "\(whole.dropLast()).\(fraction)Z"
    }
}
