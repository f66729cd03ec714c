// SPDX-License-Identifier: Apache-2.0

package struct MemoryRun: Sendable {
    package var address: UInt64
    /// In address order, without gaps.
    package var parts: [ByteSlice]
    package var byteCount: UInt64

    /// Never overflows: a region does not wrap around.
    package var endAddress: UInt64 { address + byteCount }
}

/// Removes overlaps from captured memory: readers of minidumps and cores expect each byte once.
package enum MemoryMerging {
    /// Where regions overlap, bytes of `preferred` win; within a list, those of the region that
    /// begins first, then of the one listed first.
    package static func runs(preferred: [MemoryRegion], others: [MemoryRegion]) -> [MemoryRun] {
        let first = withoutOverlaps(preferred)
        let second = subtracting(withoutOverlaps(others), first)
        return joined((first + second).sorted { $0.address < $1.address })
    }

    /// In address order, each without what an earlier one covers; empty ones are dropped.
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

    private static func part(of region: MemoryRegion, from address: UInt64) -> MemoryRegion? {
        let range = region.addressRange
        guard range.upperBound > address, !range.isEmpty else { return nil }
        guard range.lowerBound < address else { return region }
        let cut = Int(clamping: address - range.lowerBound)
        return MemoryRegion(address: address, bytes: region.bytes.slice(from: cut))
    }
}
