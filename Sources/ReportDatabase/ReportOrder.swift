// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Which of two reports is of the earlier crash.
///
/// The time of the crash decides, to the microsecond where it is known so. Of crashes at one time
/// that report is the earlier that was filed earlier: one pass files them in the order of their
/// dumps. The id is the last resort, so that the order is the same each time.
public struct ReportOrder: Comparable, Hashable, Sendable {
    /// When the report counts as having crashed.
    public let time: Date
    /// When it was filed, in whole seconds.
    private let filed: Date
    /// When its minidump was written last: which of two was filed first in one second.
    private let written: Date
    private let stem: String

    /// - Parameters:
    ///   - crashTime: what the minidump says; nil where it says nothing.
    ///   - filed: counts in its stead where the crash's clock was wrong beyond doubt: where it had
    ///     never been set, or was later than when the crash's report was filed.
    init(crashTime: Date?, filed: Date, written: Date, uuid: UUID) {
        time = crashTime.flatMap { Self.isPossible($0, filed: filed) ? $0 : nil } ?? filed
        self.filed = filed
        self.written = written
        stem = uuid.fileStem
    }

    private static func isPossible(_ crashTime: Date, filed: Date) -> Bool {
        crashTime.wholeSeconds >= PruneClock.earliestSeconds
            && crashTime <= filed.addingTimeInterval(PrunePolicy.clockToleranceSeconds)
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.time, left.filed, left.written, left.stem)
            < (right.time, right.filed, right.written, right.stem)
    }
}
