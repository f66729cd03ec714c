// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Limits the work on debug information, whose entries may lead in circles. Ample for real files.
final class WorkBudget {
    private static let total = 30_000_000
    private var left = total
    private var heldBytes = 0
    private var isShort = false

    var problem: String? {
        isShort ? HeldMemory.shortage : left > 0 ? nil : "it has more entries than any program"
    }

    /// For another report. A file that exceeded its budget stays closed.
    func renew() {
        if left > 0 { left = Self.total }
    }

    deinit {
        HeldMemory.giveBack(heldBytes)
    }

    func spend(_ count: Int = 1) -> Bool {
        left -= count
        return left > 0
    }

    /// Reserves bytes for as long as the file is open; false if memory is short.
    func hold(_ count: Int) -> Bool {
        guard HeldMemory.take(count) else {
            isShort = true
            return false
        }
        heldBytes += count
        return true
    }

    /// Size of a range and an entry in an `AddressIndex`, sorted once, or in a parent table.
    static let bytesPerEntry = 192
}
