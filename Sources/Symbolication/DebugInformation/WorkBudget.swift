// SPDX-License-Identifier: Apache-2.0

import Bytes

/// How much of a file's debug information may still be read: more than any real file has, so that a
/// corrupt one, whose entries may lead in circles, comes to an end.
final class WorkBudget {
    private static let total = 30_000_000
    private var left = total
    private var heldBytes = 0
    private var isShort = false

    /// Why not all was read, as a clause; nil when it was.
    var problem: String? {
        isShort ? HeldMemory.shortage : left > 0 ? nil : "it has more entries than any program"
    }

    /// For another report. A file that was too much once stays closed.
    func renew() {
        if left > 0 { left = Self.total }
    }

    deinit {
        HeldMemory.giveBack(heldBytes)
    }

    /// False when nothing is left.
    func spend(_ count: Int = 1) -> Bool {
        left -= count
        return left > 0
    }

    /// Counts `count` bytes that are kept as long as the file is open; false where there is no room
    /// for them.
    func hold(_ count: Int) -> Bool {
        guard HeldMemory.take(count) else {
            isShort = true
            return false
        }
        heldBytes += count
        return true
    }

    /// A range and an entry in an `AddressIndex`, which is sorted once, or in a table of parents.
    static let bytesPerEntry = 192
}
