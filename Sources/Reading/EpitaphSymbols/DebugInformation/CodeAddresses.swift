// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Where an image has code. Functions that the linker dropped keep their debug information, at
/// addresses near 0 that may belong to other functions.
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
