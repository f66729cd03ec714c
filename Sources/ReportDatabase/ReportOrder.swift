// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import Minidump

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

    /// Whether the report of `left` counts as the earlier crash.
    public static func < (left: Self, right: Self) -> Bool {
        (left.time, left.filed, left.written, left.stem)
            < (right.time, right.filed, right.written, right.stem)
    }
}

/// The time of the crash, from the minidump. It is kept in the metadata, so that a list does not
/// open each minidump; for a report that older versions or Crashpad's tools filed, or whose
/// metadata Crashpad's tools wrote anew, the minidump is asked again.
extension ReportDatabase {
    /// Nil if the minidump has no time, or is not a minidump.
    func crashTime(inMinidumpOf uuid: UUID, in directory: Directory) -> Date? {
        guard let file = try? directory.openForReading(uuid.minidumpName) else { return nil }
        // Read and not mapped: a file that shrinks meanwhile must not end this process.
        return MinidumpTime.read { offset, count in
            (try? file.readBytes(count: count, at: offset)) ?? []
        }
    }
}

extension Date {
    /// As the metadata holds it; nil for a time far beyond its range.
    var wholeMicroseconds: Int64? {
        Int64(exactly: (timeIntervalSince1970 * 1_000_000).rounded())
    }

    init(wholeMicroseconds: Int64) {
        self.init(timeIntervalSince1970: Double(wholeMicroseconds) / 1_000_000)
    }
}
