// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package protocol CoreMemory {
    /// The bytes from `address` on, up to the first gap or `count`.
    func bytes(at address: UInt64, count: Int) -> ByteSlice
}

extension CoreMemory {
    func word(at address: UInt64) -> UInt64? {
        bytes(at: address, count: 8).load(at: 0, as: UInt64.self)
    }

    /// The C string at `address`; nil if it does not end within `limit` bytes.
    func text(at address: UInt64, limit: Int) -> String? {
        // In pieces: the next page may be missing.
        var text: [UInt8] = []
        var next = address
        while text.count < limit {
            let piece = bytes(at: next, count: min(256, limit - text.count)).array
            guard !piece.isEmpty else { return nil }
            if let end = piece.firstIndex(of: 0) {
                return String(decoding: text + piece[..<end], as: UTF8.self)
            }
            text += piece
            let (after, overflow) = next.addingReportingOverflow(UInt64(piece.count))
            guard !overflow else { return nil }
            next = after
        }
        return nil
    }
}

struct LoadedMemory<Source: CoreSource>: CoreMemory {
    private let source: Source
    private let segments: [CoreSegment]

    init(_ header: CoreHeader, of source: Source) {
        self.source = source
        segments = header.segments
            .filter {
                $0.type == CoreSegment.load && $0.fileSize > 0 && !$0.addressRange.isEmpty
                    && $0.fileEnd != nil
            }
            .sorted { $0.address < $1.address }
    }

    func bytes(at address: UInt64, count: Int) -> ByteSlice {
        let first = piece(at: address, count: count)
        guard first.count < count, !first.isEmpty else { return first }
        // A stack continues in the next mapping where its permissions change.
        var joined = ByteBuilder()
        joined.append(first)
        while joined.count < count {
            let (next, overflow) = address.addingReportingOverflow(UInt64(joined.count))
            let piece = overflow ? .empty : piece(at: next, count: count - joined.count)
            guard !piece.isEmpty else { break }
            joined.append(piece)
        }
        return joined.count == first.count ? first : ByteSlice(joined.bytes)
    }

    private func piece(at address: UInt64, count: Int) -> ByteSlice {
        let low = segments.prefixCount { $0.address <= address }
        guard low > 0, count > 0 else { return .empty }
        let segment = segments[low - 1]
        let distance = address - segment.address
        let known = min(segment.fileSize, segment.memorySize)
        guard distance < known else { return .empty }
        return source.bytes(
            at: segment.fileOffset + distance, count: min(count, Int(clamping: known - distance)))
    }
}
