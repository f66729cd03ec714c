// SPDX-License-Identifier: Apache-2.0

/// The header X-Sentry-Rate-Limits: `60:error;attachment:key, 2700:default:organization`, develop.
/// sentry.dev/sdk/expected-features/rate-limiting. No category means all.
enum SentryRateLimits {
    private static let categories: Set<Substring> = ["", "error", "attachment"]

    /// The longest pause in seconds for minidumps, at most a day; nil if none concerns them.
    static func seconds(_ header: String) -> Double? {
        let limits = header.split(separator: ",").compactMap { limit -> Double? in
            let parts = limit.split(separator: ":", omittingEmptySubsequences: false)
            let number = parts[0].filter { $0 != " " && $0 != "\t" }
            guard let seconds = Double(number), seconds.isFinite, seconds >= 0 else { return nil }
            let named = (parts.count > 1 ? parts[1] : "").split(
                separator: ";", omittingEmptySubsequences: false)
            guard named.isEmpty || !categories.isDisjoint(with: named) else { return nil }
            return min(seconds, RetryAfter.longestSeconds)
        }
        return limits.max()
    }
}
