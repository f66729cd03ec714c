// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The part of the PT_DYNAMIC segment that names the image. gABI, Dynamic Section.
struct ELFDynamicSection {
    let soname: String?

    /// Programs have some dozen entries of 16 bytes.
    private static let byteLimit = 1 << 16

    init?(segments: [ELFSegment], in bytes: ByteSlice) {
        guard let dynamic = segments.first(where: { $0.type == 2 }),
            let offset = Int(exactly: dynamic.fileOffset)
        else { return nil }
        var cursor = ByteCursor(
            bytes.slice(
                from: offset, length: min(Self.byteLimit, Int(clamping: dynamic.fileSize))))
        var stringTableAddress: UInt64?
        var nameOffset: UInt64?
        while let tag = try? cursor.read(UInt64.self), tag != 0,
            let value = try? cursor.read(UInt64.self)
        {
            if tag == 5 { stringTableAddress = value }
            if tag == 14 { nameOffset = value }
        }
        guard let stringTableAddress, let nameOffset,
            let segment = segments.first(where: {
                $0.isLoadable && $0.distance(to: stringTableAddress) != nil
            }), let distance = segment.distance(to: stringTableAddress)
        else {
            soname = nil
            return
        }
        let position = segment.fileOffset.addingReportingOverflow(distance)
        let name = position.partialValue.addingReportingOverflow(nameOffset)
        guard !position.overflow, !name.overflow, let start = Int(exactly: name.partialValue) else {
            soname = nil
            return
        }
        soname = bytes.terminatedText(at: start)
    }
}

extension ByteSlice {
    /// The text from `offset` to the next zero byte; nil when there is no zero byte within `limit`
    /// bytes.
    func terminatedText(at offset: Int, limit: Int = 65_536) -> String? {
        guard offset >= 0, offset < count else { return nil }
        let rest = slice(from: offset, length: limit)
        return rest.withUnsafeBytes { bytes in
            bytes.firstIndex(of: 0).map { String(decoding: bytes[..<$0], as: UTF8.self) }
        }
    }
}
