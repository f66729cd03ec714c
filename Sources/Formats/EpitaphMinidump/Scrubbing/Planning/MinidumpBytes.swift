// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A minidump's bytes by file offset, never outside the file.
struct MinidumpBytes {
    let bytes: ByteSlice

    var count: Int { bytes.count }

    func u32(_ offset: Int) -> UInt32? { bytes.load(at: offset) }
    func u64(_ offset: Int) -> UInt64? { bytes.load(at: offset) }

    func location(at offset: Int) -> Range<Int> {
        guard let size = u32(offset), let place = u32(offset + 4) else { return 0..<0 }
        return range(from: UInt64(place), count: UInt64(size))
    }

    /// The part inside the file.
    func range(from offset: UInt64, count size: UInt64) -> Range<Int> {
        let start = min(Int(clamping: offset), count)
        return start..<start + min(Int(clamping: size), count - start)
    }

    func slice(_ range: Range<Int>) -> ByteSlice {
        bytes.slice(from: range.lowerBound, length: range.count)
    }

    /// Offsets of the records after a 32-bit count, as many as fit; possibly aligned to 8 bytes.
    func records(in list: Range<Int>, byteCount: Int) -> (header: Int, offsets: [Int]) {
        guard list.count >= 4, let announced = u32(list.lowerBound) else { return (0, []) }
        let wanted = UInt64(announced) * UInt64(byteCount)
        let header = UInt64(list.count) == wanted + 8 ? 8 : 4
        let available = (list.count - header) / byteCount
        let first = list.lowerBound + header
        return (
            header,
            (0..<min(Int(clamping: announced), max(available, 0))).map { first + $0 * byteCount }
        )
    }
}
