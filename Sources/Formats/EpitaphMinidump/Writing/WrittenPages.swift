// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Releases the pages of slices that were written, about a mebibyte at a time: a call for each of a
/// thousand stacks would cost as much as copying them. Releasing a slice of a mapped file releases
/// its surroundings as well, so the first and the last of a run of neighbours are enough.
struct WrittenPages {
    private static let runByteCount = 1 << 20

    private var first: ByteSlice?
    private var last: ByteSlice?

    mutating func add(_ slice: ByteSlice) {
        if let first {
            let start = min(first.range.lowerBound, slice.range.lowerBound)
            let end = max(first.range.upperBound, slice.range.upperBound)
            guard end - start < Self.runByteCount else {
                forget()
                slice.forget()
                return
            }
            last = slice
        } else if slice.count >= Self.runByteCount {
            slice.forget()
        } else {
            first = slice
        }
    }

    mutating func forget() {
        first?.forget()
        last?.forget()
        (first, last) = (nil, nil)
    }
}
