// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    /// HEAP_SAMPLING; nil if the program does not sample its allocations.
    mutating func heapSampling(_ root: DumpMap, _ architecture: Architecture) -> HeapSampling? {
        guard let map = map(.heapSampling, in: root) else { return nil }
        var heap = HeapSampling()
        heap.rate = integer(.heapRate, in: map)
        heap.sampledCount = integer(.heapSampled, in: map)
        heap.caughtCount = integer(.heapCaught, in: map)
        heap.pool = range(.heapPoolAddress, .heapPoolSize, in: map)
        heap.now = integer(.heapNow, in: map)
        heap.error = knownValue(.heapError, in: map)
        heap.errorAddress = integer(.heapErrorAddress, in: map)
        heap.errorBytes = bytes(.heapErrorBytes, in: map)?.array ?? []
        heap.blocks = elements(.heapBlocks, in: map) { map, fields in
            fields.sampledBlock(map, architecture)
        }
        if heap.blocks.count > HeapSampling.blockLimit {
            note(
                .heapBlocks, in: map,
                "more than \(HeapSampling.blockLimit) blocks are listed; the others were left out")
            heap.blocks.removeSubrange(HeapSampling.blockLimit...)
        }
        return heap
    }

    private mutating func sampledBlock(
        _ map: DumpMap, _ architecture: Architecture
    ) -> SampledBlock? {
        guard let address = integer(.heapBlockAddress, in: map, as: UInt64.self),
            let size = integer(.heapBlockSize, in: map, as: UInt64.self)
        else {
            note(
                .heapBlockAddress, in: map, "a block has no address or no size and was left out")
            return nil
        }
        var block = SampledBlock(address: address, size: size)
        block.alignment = integer(.heapBlockAlignment, in: map)
        block.state = knownValue(.heapBlockState, in: map)
        block.firstWord = integer(.heapBlockWord, in: map)
        block.slot = range(.heapSlotAddress, .heapSlotSize, in: map)
        block.allocated = self.map(.heapAllocated, in: map).map { heapMoment($0, architecture) }
        block.freed = self.map(.heapFreed, in: map).map { heapMoment($0, architecture) }
        return block
    }

    private mutating func heapMoment(_ map: DumpMap, _ architecture: Architecture) -> HeapMoment {
        var moment = HeapMoment()
        moment.time = integer(.heapMomentTime, in: map)
        let id = integer(.threadID, in: map, as: UInt64.self)
        moment.threadID = id == 0 ? nil : id
        moment.threadName = text(.threadName, in: map)
        moment.registers = registers(map, architecture)
        moment.stack = stack(map)
        moment.attributes = annotations(.scopeAttributes, in: map)
        return moment
    }

    private mutating func knownValue<Value: RawRepresentable<UInt8>>(
        _ key: DumpKey, in map: DumpMap
    ) -> Value? {
        guard let number = integer(key, in: map, as: UInt8.self) else { return nil }
        let value = Value(rawValue: number)
        if value == nil { note(key, in: map, "\(key.label) \(number) is not known") }
        return value
    }

    private mutating func range(
        _ addressKey: DumpKey, _ sizeKey: DumpKey, in map: DumpMap
    ) -> Range<UInt64>? {
        guard let address = integer(addressKey, in: map, as: UInt64.self),
            let size = integer(sizeKey, in: map, as: UInt64.self)
        else { return nil }
        guard size > 0, let range = Range(at: address, count: size) else {
            note(sizeKey, in: map, "\(sizeKey.label) is no size here and was left out")
            return nil
        }
        return range
    }
}
