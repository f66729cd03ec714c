// SPDX-License-Identifier: Apache-2.0

/// A sampled allocation: at the start or the end of its slot, with a guard page on both sides.
package struct SampledBlock: Sendable, Equatable {
    package var address: UInt64
    /// As the program asked for, in bytes.
    package var size: UInt64
    package var alignment: UInt64?
    /// Nil if unknown.
    package var state: State?
    /// Its pages, which are accessible while the block is live; nil if unknown.
    package var slot: Range<UInt64>?
    /// What it began with in a dump, or when it was freed, if that may be an address: an object of
    /// Swift or C++ begins with the address of its type.
    package var firstWord: UInt64?
    /// Of the object that it was, `Account`; known if the symbol of `firstWord` is.
    package var typeName: String?
    package var allocated: HeapMoment?
    /// Nil unless the block was freed.
    package var freed: HeapMoment?

    /// The numbers of `EPITAPH_BLOCK_…` in epitaph_dump_format.h.
    package enum State: UInt8, Sendable, CaseIterable {
        case live = 1
        case freed = 2
        /// Another thread was allocating or freeing it.
        case changing = 3
    }

    package init(address: UInt64, size: UInt64) {
        self.address = address
        self.size = size
    }

    /// Cut at the end of the address space.
    package var range: Range<UInt64> { address..<address.addingClamped(size) }
}
