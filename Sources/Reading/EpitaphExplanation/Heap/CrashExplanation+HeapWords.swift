// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension CrashExplanation {
    /// An error of a sampled allocation for servers that do not unwind; nil without one.
    package var heapWords: HeapWords? {
        guard let heap, let error = diagnosis ?? handledHeapError, let cause = error.heap else {
            return nil
        }
        var words = HeapWords(error: error.kind.rawValue)
        // Of two blocks neither is certain.
        guard cause.blocks.count == 1, let first = cause.blocks.first else { return words }
        let block = heap.sampling.blocks[first]
        words.block = "\(block.size) bytes at \(block.address.hex)"
        words.allocatedBy = heap.allocation(of: first)?.origin?.nameWithPlace
        words.freedBy = heap.freeing(of: first)?.origin?.nameWithPlace
        return words
    }
}
