// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct MemoryList {
    let stream: ScrubPlanner.Stream
    let headerByteCount: Int
    let regions: [CapturedRegion]
}

extension ScrubPlanner {
    private static let descriptorByteCount = 16

    /// MINIDUMP_MEMORY_DESCRIPTOR: address, size and offset.
    func memoryList(_ stream: Stream) -> MemoryList {
        let (header, offsets) = file.records(
            in: stream.range, byteCount: Self.descriptorByteCount)
        let regions = offsets.map { record in
            CapturedRegion(
                address: file.u64(record) ?? 0, file: file.location(at: record + 8))
        }
        return MemoryList(stream: stream, headerByteCount: header, regions: regions)
    }

    /// MINIDUMP_MEMORY64_LIST: a count, the offset of the first range's bytes, addresses and sizes.
    func memory64List(_ stream: Stream) -> MemoryList {
        let list = stream.range
        var offset = file.u64(list.lowerBound + 8) ?? 0
        let announced = file.u64(list.lowerBound) ?? 0
        let available = UInt64(max(list.count - 16, 0) / Self.descriptorByteCount)
        var regions: [CapturedRegion] = []
        for index in 0..<Int(clamping: min(announced, available)) {
            let record = list.lowerBound + 16 + index * Self.descriptorByteCount
            let size = file.u64(record + 8) ?? 0
            regions.append(
                CapturedRegion(
                    address: file.u64(record) ?? 0, file: file.range(from: offset, count: size)))
            let (next, overflow) = offset.addingReportingOverflow(size)
            guard !overflow else { break }
            offset = next
        }
        return MemoryList(
            stream: stream, headerByteCount: list.count >= 16 ? 16 : 0, regions: regions)
    }

    /// Removes regions without kept parts, and cuts the others to theirs.
    func scrub(
        _ list: MemoryList, _ choice: MemoryChoice, _ kept: inout [Range<UInt64>]
    ) throws(ScrubbingError) {
        guard list.headerByteCount > 0 else { return }
        var records: [UInt8] = []
        var count: UInt32 = 0
        let start = list.stream.range.lowerBound + list.headerByteCount
        for (index, region) in list.regions.enumerated() {
            let parts = choice.parts(of: region)
            apply(parts, to: region, choice)
            kept += parts.all
            let record = start + index * Self.descriptorByteCount
            let old = file.slice(record..<record + Self.descriptorByteCount).array
            if parts.byteCount == region.file.count, !region.file.isEmpty {
                records += old
            } else if let hull = parts.hull {
                deface(hull, around: parts, of: region, choice)
                let place = region.fileRange(of: hull)
                records +=
                    hull.lowerBound.littleEndianBytes
                    + UInt32(clamping: place.count).littleEndianBytes
                records += UInt32(clamping: place.lowerBound).littleEndianBytes
            } else {
                continue
            }
            count += 1
        }
        let byteCount = list.headerByteCount + records.count
        guard count < list.regions.count else {
            return try keepList(list, records: records)
        }
        let tail = list.regions.count * Self.descriptorByteCount - records.count
        var bytes = count.littleEndianBytes
        bytes += [UInt8](repeating: 0, count: list.headerByteCount - 4)
        bytes += records + [UInt8](repeating: 0, count: tail)
        try fates.rewrite(bytes, at: list.stream.range.lowerBound)
        try resize(list.stream, to: byteCount)
    }

    /// A range's place depends on those before, so only ranges at the end can be removed; others
    /// are overwritten.
    func scrub64(
        _ list: MemoryList, _ choice: MemoryChoice, _ kept: inout [Range<UInt64>]
    ) throws(ScrubbingError) {
        guard list.headerByteCount > 0 else { return }
        let all = list.regions.map { choice.parts(of: $0) }
        let count = (all.lastIndex { $0.hull != nil } ?? -1) + 1
        for (index, region) in list.regions.enumerated() {
            apply(all[index], to: region, choice)
            kept += all[index].all
            if index < count { deface(region.addresses, around: all[index], of: region, choice) }
        }
        let start = list.stream.range.lowerBound
        let byteCount = list.headerByteCount + count * Self.descriptorByteCount
        fates.structure.append(start..<start + byteCount)
        guard count < list.regions.count else { return }
        try fates.edit(UInt64(count), at: start)
        fates.unused.append(start + byteCount..<list.stream.range.upperBound)
        try resize(list.stream, to: byteCount)
    }

    private func keepList(
        _ list: MemoryList, records: [UInt8]
    ) throws(ScrubbingError) {
        let start = list.stream.range.lowerBound
        fates.structure.append(start..<start + list.headerByteCount)
        try fates.rewrite(records, at: start + list.headerByteCount)
    }
}
