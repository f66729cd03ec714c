// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Finds a function's entry through `.eh_frame_hdr`. LSB Core, 10.6.2.
struct CallFrameSearchTable: Sendable {
    private let headerAddress: UInt64
    /// Two signed 32-bit numbers each, counted from the header: function and entry.
    private let entries: ByteSlice
    private let count: Int
    private let image: ELFImage

    init?(_ image: ELFImage) {
        guard let table = image.unwindTable, let count = Int(exactly: table.entryCount),
            let offset = image.fileOffset(ofAddress: table.entriesAddress)
                .flatMap({ Int(exactly: $0) })
        else { return nil }
        headerAddress = table.headerAddress
        entries = image.bytes.slice(from: offset, length: count * 8)
        self.count = entries.count / 8
        self.image = image
    }

    /// Nil also where the table leads to an entry of another function.
    func entry(containing address: UInt64) -> FrameDescription? {
        guard let position = lastEntry(atOrBelow: address) else { return nil }
        let entryAddress = value(at: position * 8 + 4)
        guard let section = section(around: entryAddress),
            let offset = Int(exactly: entryAddress &- section.address),
            let entry = section.functionEntry(at: offset),
            entry.addressRange.contains(address)
        else { return nil }
        return entry
    }

    private func lastEntry(atOrBelow address: UInt64) -> Int? {
        let low = (0..<count).prefixCount { value(at: $0 * 8) <= address }
        return low > 0 ? low - 1 : nil
    }

    private func value(at offset: Int) -> UInt64 {
        let distance = entries.withUnsafeBytes {
            Int32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        return headerAddress &+ UInt64(bitPattern: Int64(distance))
    }

    /// The segment that has the entry: its common part comes before it in the same section, and
    /// nothing needs that section's own header.
    private func section(around address: UInt64) -> CallFrameSection? {
        for segment in image.segments where segment.isLoadable {
            guard segment.distance(to: address) != nil,
                let offset = Int(exactly: segment.fileOffset)
            else { continue }
            let bytes = image.bytes.slice(from: offset, length: Int(clamping: segment.fileSize))
            return CallFrameSection(form: .ehFrame, bytes: bytes, address: segment.address)
        }
        return nil
    }
}
