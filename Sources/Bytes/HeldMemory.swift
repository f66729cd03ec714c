// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The memory that contents of files may take in this process, all files together: bytes that were
/// read, sections that were inflated, tables that were made of them. What does not fit is not read,
/// and whoever wanted it says so. docs/decisions/what-a-dump-names.md.
public enum HeldMemory {
    /// A report of an ordinary program needs 20 to 80 MiB; with what is not counted here, a process
    /// stays below 512 MiB.
    public static let limitBytes = 288 << 20

    /// Why something is not there, as a clause.
    public static let shortage =
        "no more than \(limitBytes >> 20) MiB of files are held in memory at a time"

    private static let held = Atomic<Int>(0)

    public static var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Counts `count` bytes more; false, and nothing is counted, where that is too many.
    public static func take(_ count: Int) -> Bool {
        guard count >= 0, count <= limitBytes else { return false }
        let sum = held.add(count, ordering: .relaxed).newValue
        guard sum <= limitBytes else {
            giveBack(count)
            return false
        }
        return true
    }

    public static func giveBack(_ count: Int) {
        held.subtract(count, ordering: .relaxed)
    }
}

/// A share of `HeldMemory`, given back with the last reference.
public final class HeldShare: Sendable {
    private let count: Int

    /// Nil where there is no room for so many bytes.
    public init?(_ count: Int) {
        guard HeldMemory.take(count) else { return nil }
        self.count = count
    }

    deinit {
        HeldMemory.giveBack(count)
    }
}
