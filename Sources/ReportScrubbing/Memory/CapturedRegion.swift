// SPDX-License-Identifier: Apache-2.0

/// Memory of the process that the file has, and where.
struct CapturedRegion {
    let address: UInt64
    let file: Range<Int>

    /// One that would wrap around the address space is cut at its end.
    var addresses: Range<UInt64> {
        let (end, overflow) = address.addingReportingOverflow(UInt64(file.count))
        return address..<(overflow ? .max : end)
    }

    /// Where a part of it lies in the file.
    func fileRange(of part: Range<UInt64>) -> Range<Int> {
        let start = file.lowerBound + Int(clamping: part.lowerBound - address)
        return start..<start + Int(clamping: part.upperBound - part.lowerBound)
    }
}

/// What stays of a region, by address, in order.
struct KeptParts {
    /// What every copy of the program has.
    var code: [Range<UInt64>] = []
    /// All else.
    var data: [Range<UInt64>] = []

    var all: [Range<UInt64>] { OrderedRanges.merged(code + data) }

    /// From the first byte that stays to the last; nil when none does.
    var hull: Range<UInt64>? {
        let all = all
        guard let first = all.first, let last = all.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    var byteCount: Int {
        (code + data).reduce(0) { $0 + Int(clamping: $1.upperBound - $1.lowerBound) }
    }
}
