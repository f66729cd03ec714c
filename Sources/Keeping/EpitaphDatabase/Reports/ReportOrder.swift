// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// The time of the crash decides, to the microsecond if known; then the time of filing, because
    /// a pass files reports in the order of their dumps; then the id, to make the order total.
    package struct ReportOrder: Comparable, Hashable, Sendable {
        package let time: Timestamp
        private let filed: Timestamp
        /// When its minidump was last written, which orders reports filed in one second.
        private let written: Timestamp
        private let uuid: Epitaph.ID

        /// - Parameter filed: used instead of `crashTime` if the crash's clock was certainly wrong:
        ///   it had never been set, or was later than the time of filing.
        init(crashTime: Timestamp?, filed: Timestamp, written: Timestamp, uuid: Epitaph.ID) {
            time = crashTime.flatMap { Self.isPossible($0, filed: filed) ? $0 : nil } ?? filed
            self.filed = filed
            self.written = written
            self.uuid = uuid
        }

        private static func isPossible(_ crashTime: Timestamp, filed: Timestamp) -> Bool {
            crashTime >= .earliestSetClock
                && crashTime <= filed.adding(seconds: PrunePolicy.clockToleranceSeconds)
        }

        package static func < (left: Self, right: Self) -> Bool {
            (left.time, left.filed, left.written, left.uuid)
                < (right.time, right.filed, right.written, right.uuid)
        }
    }
}

/// The metadata has a copy of a crash's time, so that a list need not open each minidump, which is
/// read again for a report of older versions or if Crashpad's tools rewrote the metadata.
extension ReportDatabase {
    func crashTime(inMinidumpOf uuid: Epitaph.ID, in directory: Directory) -> Timestamp? {
        guard let file = try? directory.openForReading(uuid.minidumpName) else { return nil }
        // Read, not mapped: a file that shrinks must not end this process.
        return MinidumpTime.read { offset, count in
            (try? file.readBytes(count: count, at: offset)) ?? []
        }
    }
}

extension Timestamp {
    /// Nil for a time far out of range.
    var wholeMicroseconds: Int64? {
        Int64(exactly: (secondsSince1970 * 1_000_000).rounded())
    }

    init(wholeMicroseconds: Int64) {
        self.init(secondsSince1970: Double(wholeMicroseconds) / 1_000_000)
    }
}
