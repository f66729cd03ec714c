// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Finds the ranges, possibly overlapping, that contain an address.
struct AddressIndex<Value> {
    private struct Entry {
        let range: Range<UInt64>
        let value: Value
        /// The highest end so far, where a backward search may stop.
        var furthestEnd: UInt64
    }

    private let entries: [Entry]

    init(_ ranges: [(Range<UInt64>, Value)]) {
        var entries = ranges.sorted { $0.0.lowerBound < $1.0.lowerBound }
            .map { Entry(range: $0.0, value: $0.1, furthestEnd: 0) }
        var furthestEnd: UInt64 = 0
        for index in entries.indices {
            furthestEnd = max(furthestEnd, entries[index].range.upperBound)
            entries[index].furthestEnd = furthestEnd
        }
        self.entries = entries
    }

    func values(containing address: UInt64) -> [Value] {
        var low = entries.prefixCount { $0.range.lowerBound <= address }
        var values: [Value] = []
        while low > 0, entries[low - 1].furthestEnd > address, values.count < 16 {
            low -= 1
            if entries[low].range.contains(address) { values.append(entries[low].value) }
        }
        return values
    }
}

/// The image's code. Dropped functions keep debug information, at addresses near 0.
struct CodeAddresses {
    private let ranges: [Range<UInt64>]

    init(_ image: ELFImage) {
        let sections = image.sections.filter(\.isExecutable).map { ($0.address, $0.size) }
        let segments = image.loadableSegments.filter(\.isExecutable)
            .map { ($0.address, $0.memorySize) }
        ranges = (sections.isEmpty ? segments : sections).compactMap { start, size in
            let (end, overflow) = start.addingReportingOverflow(size)
            return overflow || end == start ? nil : start..<end
        }
    }

    func contain(_ range: Range<UInt64>) -> Bool {
        ranges.contains { $0.contains(range.lowerBound) && range.upperBound <= $0.upperBound }
    }
}
