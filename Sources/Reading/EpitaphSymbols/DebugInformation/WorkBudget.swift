// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// How much of a file's debug information may still be read: more than any real file has, so that
/// reading a corrupt one, whose entries may lead in circles, ends.
final class WorkBudget {
    private static let total = 30_000_000
    private var left = total
    private var heldBytes = 0
    private var isShort = false

    /// Why not all of it was read, as a clause; nil if it was.
    var problem: String? {
        isShort ? HeldMemory.shortage : left > 0 ? nil : "it has more entries than any program"
    }

    /// Starts over for another report. A file that exceeded its budget stays closed.
    func renew() {
        if left > 0 { left = Self.total }
    }

    deinit {
        HeldMemory.giveBack(heldBytes)
    }

    /// False if nothing is left.
    func spend(_ count: Int = 1) -> Bool {
        left -= count
        return left > 0
    }

    /// Counts `count` bytes that are kept while the file is open; false if there is not enough
    /// memory.
    func hold(_ count: Int) -> Bool {
        guard HeldMemory.take(count) else {
            isShort = true
            return false
        }
        heldBytes += count
        return true
    }

    /// The size of a range and an entry in an `AddressIndex`, which is sorted once, or in a table
    /// of parents.
    static let bytesPerEntry = 192
}
