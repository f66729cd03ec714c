// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Tests that damage something at each of its bytes, or try all of a great many cases, try all of
/// them with TEST_SWEEPS=whole, as in Scripts/check with a release build. Otherwise they try a
/// sample, because a debug build would take minutes. A name of EPITAPH_… would be complained of in
/// every preloaded program.
package enum Sweep {
    package static let isWhole =
        ProcessInfo.processInfo.environment["TEST_SWEEPS"] == "whole"

    /// All of them, or one of `step`. A prime step meets words at each of their bytes.
    package static func sample<Cases: Sequence>(
        _ cases: Cases, oneOf step: Int, from first: Int = 0
    ) -> [Cases.Element] {
        let all = Array(cases)
        guard !isWhole else { return all }
        return stride(from: first % step, to: all.count, by: step).map { all[$0] }
    }

    /// So many, or one of `divisor` of them.
    package static func count(_ whole: Int, oneOf divisor: Int) -> Int {
        isWhole ? whole : whole / divisor
    }
}
