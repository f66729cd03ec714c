// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Epitaph's sampled allocations, docs/minidump.md.
extension ScrubPlanner {
    /// Before anything is kept: values of removed attributes are searched for everywhere.
    func scrubHeapSampling(_ stream: Stream) throws(ScrubbingError) {
        guard let places = HeapPlaces(stream.range, file) else { return try removeUnknown(stream) }
        fates.structure.append(stream.range)
        // A name of the program's code, like those of functions.
        for block in places.blocks {
            let type = file.u32(block + HeapSamplingStream.Block.typeName)
            keepText(at: type == 0 ? nil : type, .utf8, isSearched: true)
        }
        for moment in places.moments {
            let name = file.u32(moment + HeapSamplingStream.Moment.threadName)
            if rules.removedParts.contains(.threadNames) {
                try removeText(at: name == 0 ? nil : name, .utf8, isSecret: false)
            } else {
                keepText(at: name == 0 ? nil : name, .utf8, isSearched: true)
            }
        }
        for record in places.attributes { try scrubMomentAttribute(record) }
        let found = places.errorBytes
        if rules.memory == .all, !rules.sanitizesStacks {
            searchedMemory.append(found)
        } else {
            try fates.edit(
                UInt32(0), at: stream.range.lowerBound + HeapSamplingStream.Header.errorByteCount)
            try fates.edit([UInt8](repeating: 0, count: found.count), at: found.lowerBound)
        }
    }

    private func scrubMomentAttribute(_ record: Int) throws(ScrubbingError) {
        let places = [file.u32(record + 8), file.u32(record + 12)].map { $0 == 0 ? nil : $0 }
        if let name = places[0], try keepsName(at: name, isWritten: false) {
            for place in places { keepText(at: place, .utf8, isSearched: true) }
            return
        }
        try removeText(at: places[0], .utf8, isSecret: false)
        try removeText(at: places[1], .utf8, isSecret: true)
        // Of no moment, without texts.
        try fates.edit(UInt32(0), at: record)
        try fates.edit(UInt64(0), at: record + 8)
    }

    /// The stacks of moments, by the rules of other stacks. Returns their addresses.
    func scrubHeapStacks(
        _ choice: MemoryChoice, _ kept: inout [Range<UInt64>]
    ) throws(ScrubbingError) -> [Range<UInt64>] {
        guard let stream = range(of: .heapSampling), let places = HeapPlaces(stream, file) else {
            return []
        }
        var stacks: [Range<UInt64>] = []
        for moment in places.moments {
            try scrubContext(at: moment + HeapSamplingStream.Moment.registers)
            let place = moment + HeapSamplingStream.Moment.stack
            let region = CapturedRegion(
                address: file.u64(moment + HeapSamplingStream.Moment.stackAddress) ?? 0,
                file: file.location(at: place))
            guard !region.file.isEmpty else { continue }
            var parts = KeptParts()
            if choice.keepsEveryStack {
                parts.data = [region.addresses]
            } else {
                try fates.edit(UInt64(0), at: place)
            }
            apply(parts, to: region, choice)
            kept += parts.all
            stacks.append(region.addresses)
        }
        return stacks
    }
}

/// Offsets in the file of the records that have texts or memory.
private struct HeapPlaces {
    let blocks: [Int]
    let moments: [Int]
    let attributes: [Int]
    let errorBytes: Range<Int>

    /// Nil for a stream too short for its header, or of another version.
    init?(_ stream: Range<Int>, _ file: MinidumpBytes) {
        typealias Form = HeapSamplingStream
        let start = stream.lowerBound
        guard stream.count >= Form.headerByteCount, file.u32(start) == Form.version else {
            return nil
        }
        let bytes = start + Form.Header.errorBytes
        errorBytes = bytes..<bytes + Form.errorByteLimit
        let blockCount = Int(clamping: file.u32(start + 68) ?? 0)
        guard blockCount <= HeapSampling.blockLimit else { return nil }
        func records(_ first: Int, _ count: Int, _ byteCount: Int) -> [Int] {
            (0..<min(count, max(stream.upperBound - first, 0) / byteCount)).map {
                first + $0 * byteCount
            }
        }
        blocks = records(start + Form.headerByteCount, blockCount, Form.blockByteCount)
        let first = start + Form.headerByteCount + blockCount * Form.blockByteCount
        moments = records(first, 2 * blockCount, Form.momentByteCount)
        attributes = records(
            first + 2 * blockCount * Form.momentByteCount,
            Int(clamping: file.u32(start + 72) ?? 0), Form.attributeByteCount)
    }
}
