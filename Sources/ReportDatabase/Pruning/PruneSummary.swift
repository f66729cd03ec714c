// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Whether pruning really removes.
public enum PruneMode: Sendable {
    /// Reports and leftovers are removed.
    case remove
    /// Nothing is changed; the summary says what would be.
    case dryRun
}

/// What pruning did, or would do: nothing is removed that is not named here.
public struct PruneSummary: Sendable, Equatable {
    /// In the order of their removal.
    public var removals: [PruneRemoval] = []
    /// Reports from the future, which were dated anew.
    public var redated: [UUID] = []
    /// Paths of pieces that belonged to no report and were old enough to be abandoned.
    public var stalePaths: [String] = []
    /// Paths of quarantined files that were too old, too many or too large.
    public var quarantinePaths: [String] = []
    /// Reports that were to be removed and are in use by another process; left for the next pass.
    public var busy: [UUID] = []
    /// What stayed.
    public var keptCount = 0
    /// Bytes of the minidumps and attachments of the reports that stay.
    public var keptBytes = 0
    /// False when the clock had jumped since the last pass, so that ages were ignored.
    public var isClockTrusted = true
    /// What could not be removed or read, as sentences that name the file.
    public var problems: [String] = []

    /// An empty summary.
    public init() {}
}

extension Int {
    /// Sizes come from the file system, where a sparse file can claim any.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
