// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Memory of the process that the file contains, and its place in the file.
struct CapturedRegion {
    let address: UInt64
    let file: Range<Int>

    /// A region that would wrap around the address space is cut at its end.
    var addresses: Range<UInt64> {
        let (end, overflow) = address.addingReportingOverflow(UInt64(file.count))
        return address..<(overflow ? .max : end)
    }

    /// Where a part of it is in the file.
    func fileRange(of part: Range<UInt64>) -> Range<Int> {
        let start = file.lowerBound + Int(clamping: part.lowerBound - address)
        return start..<start + Int(clamping: part.upperBound - part.lowerBound)
    }
}

/// The parts of a region that stay, in address order.
struct KeptParts {
    /// Code, which is the same in every copy of the program.
    var code: [Range<UInt64>] = []
    /// Everything else.
    var data: [Range<UInt64>] = []

    var all: [Range<UInt64>] { OrderedRanges.merged(code + data) }

    /// From the first byte that stays to the last; nil if none does.
    var hull: Range<UInt64>? {
        let all = all
        guard let first = all.first, let last = all.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    var byteCount: Int {
        (code + data).reduce(0) { $0 + Int(clamping: $1.upperBound - $1.lowerBound) }
    }
}
