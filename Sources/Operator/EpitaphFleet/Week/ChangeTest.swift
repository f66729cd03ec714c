// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether a signature crashes more often than before, or was really gone for a release.
///
/// If the rate has not changed, then of all hours of hosts in which it crashed those in the span
/// are binomial, with the span's share of the running time: the conditional test of two Poisson
/// rates (Przyborowski and Wilenski, Biometrika 31, 1940). Its p-value is at most Chernoff's bound
/// exp(-n D(x/n || share)) (Hoeffding, J. Am. Stat. Assoc. 58, 1963, theorem 1), which SQL can
/// compute for any number; it is judged instead of the value itself, so errors are rarer than said.
enum ChangeTest {
    /// The probability of one or more wrong words among all signatures of a page, at most.
    static let level = 0.01

    /// - Parameter signatures: how many are tested at once (Bonferroni).
    static func isCertain(logarithm: Double, signatures: Int) -> Bool {
        logarithm < log(level / Double(max(signatures, 1)))
    }

    /// The bound for at least `now` hours, as a logarithm; `share` is the span's, between 0 and 1.
    static func logarithm(now: Int, before: Int, share: Double) -> Double {
        let all = Double(now + before)
        guard now > 0, Double(now) > all * share else { return 0 }
        var sum = Double(now) * log(Double(now) / (all * share))
        if before > 0 { sum += Double(before) * log(Double(before) / (all * (1 - share))) }
        return -sum
    }

    /// The logarithm of the probability that a release without the signature lacks it by chance: of
    /// `among` crashes in earlier releases `seen` had it, of `others` in that release none.
    static func logarithm(seen: Int, among: Int, others: Int) -> Double {
        guard among > 0 else { return 0 }
        return Double(seen) * log(Double(among) / Double(among + others))
    }
}
