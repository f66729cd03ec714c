// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Whether pruning really removes.
    package enum PruneMode: Sendable {
        /// Reports and leftovers are removed.
        case remove
        /// Nothing is changed; the summary says what would be.
        case dryRun
    }
}

extension Epitaph {
    /// What pruning did, or would do. It lists everything that is removed.
    package struct PruneSummary: Sendable, Equatable {
        /// In the order of their removal.
        package var removals: [PruneRemoval] = []
        /// Reports dated in the future, which got a new date.
        package var redated: [Epitaph.ID] = []
        /// Paths of pieces that belonged to no report and were old enough to count as abandoned.
        package var stalePaths: [String] = []
        /// Paths of quarantined files that were too old, too many or too large.
        package var quarantinePaths: [String] = []
        /// Reports that should have been removed but are in use by another process; left for the
        /// next pass.
        package var busy: [Epitaph.ID] = []
        /// How many reports stay.
        package var keptCount = 0
        /// Bytes of the minidumps and attachments of the reports that stay.
        package var keptBytes = 0
        /// False if the clock had jumped since the last pass, so that ages were ignored.
        package var isClockTrusted = true
        /// What could not be removed or read, as sentences that name the file.
        package var problems: [String] = []

        /// An empty summary.
        package init() {}
    }
}

extension Int {
    /// Sizes come from the file system, where a sparse file can have any size.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
