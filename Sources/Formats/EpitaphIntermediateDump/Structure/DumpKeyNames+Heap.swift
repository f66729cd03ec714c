// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

// The keys of epitaph_dump_format.h that hold sampled allocations: docs/memory-errors.md.
extension DumpKey {
    package static var heapSampling: Self { Self(EPITAPH_KEY_HEAP_SAMPLING) }
    package static var heapRate: Self { Self(EPITAPH_KEY_HEAP_RATE) }
    package static var heapSampled: Self { Self(EPITAPH_KEY_HEAP_SAMPLED) }
    package static var heapCaught: Self { Self(EPITAPH_KEY_HEAP_CAUGHT) }
    package static var heapPoolAddress: Self { Self(EPITAPH_KEY_HEAP_POOL_ADDRESS) }
    package static var heapPoolSize: Self { Self(EPITAPH_KEY_HEAP_POOL_SIZE) }
    package static var heapNow: Self { Self(EPITAPH_KEY_HEAP_NOW) }
    /// `EPITAPH_HEAP_…`; see `HeapError`.
    package static var heapError: Self { Self(EPITAPH_KEY_HEAP_ERROR) }
    package static var heapErrorAddress: Self { Self(EPITAPH_KEY_HEAP_ERROR_ADDRESS) }
    package static var heapErrorBytes: Self { Self(EPITAPH_KEY_HEAP_ERROR_BYTES) }
    package static var heapBlocks: Self { Self(EPITAPH_KEY_HEAP_BLOCKS) }
    package static var heapBlockAddress: Self { Self(EPITAPH_KEY_HEAP_BLOCK_ADDRESS) }
    package static var heapBlockSize: Self { Self(EPITAPH_KEY_HEAP_BLOCK_SIZE) }
    package static var heapBlockAlignment: Self { Self(EPITAPH_KEY_HEAP_BLOCK_ALIGNMENT) }
    /// `EPITAPH_BLOCK_…`; see `SampledBlock.State`.
    package static var heapBlockState: Self { Self(EPITAPH_KEY_HEAP_BLOCK_STATE) }
    package static var heapSlotAddress: Self { Self(EPITAPH_KEY_HEAP_SLOT_ADDRESS) }
    package static var heapSlotSize: Self { Self(EPITAPH_KEY_HEAP_SLOT_SIZE) }
    package static var heapBlockWord: Self { Self(EPITAPH_KEY_HEAP_BLOCK_WORD) }
    /// With a thread's keys, and `scopeAttributes`.
    package static var heapAllocated: Self { Self(EPITAPH_KEY_HEAP_ALLOCATED) }
    package static var heapFreed: Self { Self(EPITAPH_KEY_HEAP_FREED) }
    package static var heapMomentTime: Self { Self(EPITAPH_KEY_HEAP_MOMENT_TIME) }
}
