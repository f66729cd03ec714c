// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// What watching allocations came to in this process. docs/memory-errors.md
    public struct HeapCounts: Sendable, Equatable {
        /// Allocations that were watched.
        public let sampled: Int
        /// Memory errors that were found without a fault: of the others the process dies.
        public let caught: Int
    }

    /// Whether allocations are watched as `CrashReporterOptions.heapSampling` chose.
    ///
    /// - Throws: `Refusal`, which says why none is.
    public static func heapCounts() throws(Refusal) -> HeapCounts {
        var counts = epitaph_heap_counts()
        var error = epitaph_error()
        try Refusal.check(epitaph_heap_check(&counts, &error), error)
        return HeapCounts(
            sampled: Int(clamping: counts.sampled), caught: Int(clamping: counts.caught))
    }
}
