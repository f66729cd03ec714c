// SPDX-License-Identifier: Apache-2.0

/// What the sampler of allocations knew at the capture: docs/memory-errors.md.
package struct HeapSampling: Sendable, Equatable {
    /// One allocation in this many is sampled; nil if unknown.
    package var rate: UInt64?
    /// Allocations sampled before.
    package var sampledCount: UInt64?
    /// Errors found before.
    package var caughtCount: UInt64?
    /// All slots and the guard pages between them.
    package var pool: Range<UInt64>?
    /// CLOCK_MONOTONIC_COARSE at the capture, in nanoseconds.
    package var now: UInt64?
    /// How a use of the pool was found to be wrong; nil if nothing of the pool is involved.
    package var error: HeapError?
    /// The fault's address, the pointer that was freed, or the first byte that was overwritten.
    package var errorAddress: UInt64?
    /// What was found there; only of `overwritten`.
    package var errorBytes: [UInt8] = []
    /// Those around `errorAddress`, in address order.
    package var blocks: [SampledBlock] = []
    /// The error in words, as found when the report was filed.
    package var told: HeapWords?

    /// The handler writes no more: the blocks below and above a guard page.
    package static let blockLimit = 2

    package init() {}

    /// The moments of all blocks that have one.
    package var moments: [(place: HeapMoment.Place, moment: HeapMoment)] {
        blocks.enumerated().flatMap { index, block in
            [
                block.freed.map { (HeapMoment.Place(block: index, isFree: true), $0) },
                block.allocated.map { (HeapMoment.Place(block: index, isFree: false), $0) },
            ].compactMap(\.self)
        }
    }
}

/// The numbers of `EPITAPH_HEAP_…` in epitaph_dump_format.h.
package enum HeapError: UInt8, Sendable, CaseIterable {
    /// A fault in the pool.
    case fault = 1
    /// free(3) of a freed block.
    case doubleFree = 2
    /// free(3) of an address in the pool that is not a block's.
    case invalidFree = 3
    /// free(3) found bytes beside the block written.
    case overwritten = 4

    /// In JSON.
    package var word: String {
        switch self {
        case .fault: "fault"
        case .doubleFree: "double-free"
        case .invalidFree: "invalid-free"
        case .overwritten: "overwritten"
        }
    }
}

/// For servers that do not unwind: docs/minidump.md, "CrashpadInfo".
package struct HeapWords: Sendable, Equatable {
    /// `use-after-free`
    package var error: String
    /// `64 bytes at 0x7f0000012fc0`
    package var block: String?
    /// `parse_header (http.c:214)`
    package var allocatedBy: String?
    package var freedBy: String?

    package init(error: String) {
        self.error = error
    }
}
