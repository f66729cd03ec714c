// SPDX-License-Identifier: Apache-2.0

/// Adjacent pieces of memory as one run of addresses.
package struct MemoryRun: Sendable {
    /// Of its first byte.
    package var address: UInt64
    /// In address order, without gaps.
    package var parts: [ByteSlice]
    /// Of all parts.
    package var byteCount: UInt64

    /// One past the last address; a region never wraps around.
    package var endAddress: UInt64 { address + byteCount }
}

/// Removes the overlaps from memory that was captured in overlapping pieces, because readers of
/// minidumps and of cores expect each byte only once.
package enum MemoryMerging {
    /// Runs in address order. Where regions overlap, bytes of `preferred` win; within one list
    /// those of the region that begins first, and if two begin together those of the one listed
    /// first.
    package static func runs(preferred: [MemoryRegion], others: [MemoryRegion]) -> [MemoryRun] {
        let first = withoutOverlaps(preferred)
        let second = subtracting(withoutOverlaps(others), first)
        return joined((first + second).sorted { $0.address < $1.address })
    }

    /// The regions in address order, each without the part that an earlier one covers; empty ones
    /// are left out.
    package static func withoutOverlaps(_ regions: [MemoryRegion]) -> [MemoryRegion] {
        let order = regions.indices.sorted {
            (regions[$0].address, $0) < (regions[$1].address, $1)
        }
        var result: [MemoryRegion] = []
        var coveredEnd: UInt64 = 0
        for index in order {
            guard let rest = part(of: regions[index], from: coveredEnd) else { continue }
            result.append(rest)
            coveredEnd = rest.addressRange.upperBound
        }
        return result
    }

    /// What is left of `regions` outside `holes`; both in address order and free of overlaps.
    package static func subtracting(_ regions: [MemoryRegion], _ holes: [MemoryRegion])
        -> [MemoryRegion]
    {
        var result: [MemoryRegion] = []
        var holeIndex = 0
        for region in regions {
            var rest: MemoryRegion? = part(of: region, from: region.address)
            while let current = rest, holeIndex < holes.count {
                let hole = holes[holeIndex].addressRange
                guard hole.lowerBound < current.addressRange.upperBound else { break }
                if hole.lowerBound > current.address {
                    let length = Int(clamping: hole.lowerBound - current.address)
                    result.append(
                        MemoryRegion(
                            address: current.address,
                            bytes: current.bytes.slice(from: 0, length: length)))
                }
                rest = part(of: current, from: hole.upperBound)
                // A hole that reaches past this region may also cut the next one.
                guard rest != nil else { break }
                holeIndex += 1
            }
            if let rest { result.append(rest) }
        }
        return result
    }

    private static func joined(_ regions: [MemoryRegion]) -> [MemoryRun] {
        var runs: [MemoryRun] = []
        for region in regions {
            let count = UInt64(region.bytes.count)
            let last = runs.count - 1
            if last >= 0, runs[last].endAddress == region.address {
                runs[last].parts.append(region.bytes)
                runs[last].byteCount += count
            } else {
                runs.append(
                    MemoryRun(address: region.address, parts: [region.bytes], byteCount: count))
            }
        }
        return runs
    }

    /// The part at and above `address`, or nil when nothing is there.
    private static func part(of region: MemoryRegion, from address: UInt64) -> MemoryRegion? {
        let range = region.addressRange
        guard range.upperBound > address, !range.isEmpty else { return nil }
        guard range.lowerBound < address else { return region }
        let cut = Int(clamping: address - range.lowerBound)
        return MemoryRegion(address: address, bytes: region.bytes.slice(from: cut))
    }
}
