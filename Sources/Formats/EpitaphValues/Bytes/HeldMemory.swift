// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The memory that contents of files may take in this process, all files together: bytes read,
/// sections inflated, tables made from them. What does not fit is not read, and the reader reports
/// that. docs/decisions/hostile-input.md.
package enum HeldMemory {
    /// A report of an ordinary program needs 20 to 80 MiB. Together with what is not counted here a
    /// process stays below 512 MiB.
    package static let limitBytes = 288 << 20

    /// Why something was not read, as a clause.
    package static let shortage =
        "no more than \(limitBytes >> 20) MiB of files are held in memory at a time"

    private static let held = Atomic<Int>(0)

    /// Bytes counted at this moment, for tests and statistics: other threads may change it at once.
    package static var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Counts `count` more bytes. Returns false, and counts nothing, if that would exceed the
    /// limit.
    package static func take(_ count: Int) -> Bool {
        guard count >= 0, count <= limitBytes else { return false }
        let sum = held.add(count, ordering: .relaxed).newValue
        guard sum <= limitBytes else {
            giveBack(count)
            return false
        }
        return true
    }

    /// Undoes a `take` of so many bytes.
    package static func giveBack(_ count: Int) {
        held.subtract(count, ordering: .relaxed)
    }
}

/// A share of `HeldMemory`, given back when its last reference goes.
package final class HeldShare: Sendable {
    private let count: Int

    /// Nil if there is no room for this many bytes.
    package init?(_ count: Int) {
        guard HeldMemory.take(count) else { return nil }
        self.count = count
    }

    deinit {
        HeldMemory.giveBack(count)
    }
}
