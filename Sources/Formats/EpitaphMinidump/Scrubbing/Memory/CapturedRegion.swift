// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Memory of the process and its place in the file.
struct CapturedRegion {
    let address: UInt64
    let file: Range<Int>

    /// Cut at the end of the address space.
    var addresses: Range<UInt64> { address..<address.addingClamped(UInt64(file.count)) }

    func fileRange(of part: Range<UInt64>) -> Range<Int> {
        let start = file.lowerBound + Int(clamping: part.lowerBound - address)
        return start..<start + Int(clamping: part.upperBound - part.lowerBound)
    }
}

struct KeptParts {
    var code: [Range<UInt64>] = []
    var data: [Range<UInt64>] = []

    var all: [Range<UInt64>] { OrderedRanges.merged(code + data) }

    var hull: Range<UInt64>? {
        let all = all
        guard let first = all.first, let last = all.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    var byteCount: Int {
        (code + data).reduce(0) { $0 + Int(clamping: $1.upperBound - $1.lowerBound) }
    }
}
