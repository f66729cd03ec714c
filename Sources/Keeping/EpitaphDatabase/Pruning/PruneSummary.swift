// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    package enum PruneMode: Sendable {
        case remove
        /// Changes nothing; the summary says what would be removed.
        case dryRun
    }

    /// Everything that pruning removed or would remove.
    package struct PruneSummary: Sendable, Equatable {
        package var removals: [PruneRemoval] = []
        package var redated: [Epitaph.ID] = []
        package var stalePaths: [String] = []
        package var quarantinePaths: [String] = []
        package var busy: [Epitaph.ID] = []
        package var keptCount = 0
        /// Of the minidumps and attachments of kept reports.
        package var keptBytes = 0
        /// False if the clock had jumped since the last pass, so that ages were ignored.
        package var isClockTrusted = true
        /// Failures, as sentences that name the file.
        package var problems: [String] = []

        package init() {}
    }
}
