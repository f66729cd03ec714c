// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import Minidump

/// The time of the crash, which the minidump tells. It is kept in the metadata, so that a list does
/// not open each minidump; for a report that older versions or Crashpad's tools filed, or whose
/// metadata Crashpad's tools wrote anew, the minidump is asked again.
extension ReportDatabase {
    /// Nil where the minidump does not tell, or is none.
    func crashTime(inMinidumpOf uuid: UUID, in directory: Directory) -> Date? {
        guard let file = try? directory.openForReading(uuid.minidumpName) else { return nil }
        // Read and not mapped: a file that somebody cuts meanwhile must not end this process.
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
