// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A budget for the contents of files in memory, all files together: bytes read, inflated sections,
/// tables. The reader reports what was not read. docs/decisions/hostile-input.md.
package enum HeldMemory {
    /// An ordinary report needs 20 to 80 MiB. With all else, a process stays below 512 MiB.
    package static let limitBytes = 288 << 20

    /// The reason to report, as a clause.
    package static let shortage =
        "no more than \(limitBytes >> 20) MiB of files are held in memory at a time"

    private static let held = Atomic<Int>(0)

    /// Only for tests and statistics: other threads may change it at any time.
    package static var heldBytes: Int { held.load(ordering: .relaxed) }

    package static func take(_ count: Int) -> Bool {
        guard count >= 0, count <= limitBytes else { return false }
        let sum = held.add(count, ordering: .relaxed).newValue
        guard sum <= limitBytes else {
            giveBack(count)
            return false
        }
        return true
    }

    package static func giveBack(_ count: Int) {
        held.subtract(count, ordering: .relaxed)
    }
}

/// A share of `HeldMemory`, given back on deinit.
package final class HeldShare: Sendable {
    private let count: Int

    package init?(_ count: Int) {
        guard HeldMemory.take(count) else { return nil }
        self.count = count
    }

    deinit {
        HeldMemory.giveBack(count)
    }
}
