// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The part of PT_DYNAMIC with the names of the image and its libraries. gABI, Dynamic Section.
struct ELFDynamicSection {
    /// DT_SONAME
    var soname: String? { texts(14).first }

    private let entries: [(tag: UInt64, value: UInt64)]
    private let bytes: ByteSlice
    /// File offset of the string table.
    private let stringsOffset: UInt64?

    /// Programs have a few dozen entries of 16 bytes.
    private static let byteLimit = 1 << 16

    init?(segments: [ELFSegment], in bytes: ByteSlice) {
        guard let dynamic = segments.first(where: { $0.type == 2 }),
            let offset = Int(exactly: dynamic.fileOffset)
        else { return nil }
        self.bytes = bytes
        var cursor = ByteCursor(
            bytes.slice(
                from: offset, length: min(Self.byteLimit, Int(clamping: dynamic.fileSize))))
        var entries: [(tag: UInt64, value: UInt64)] = []
        while let tag = try? cursor.read(UInt64.self), tag != 0,
            let value = try? cursor.read(UInt64.self)
        {
            entries.append((tag, value))
        }
        self.entries = entries
        // DT_STRTAB
        guard let address = entries.last(where: { $0.tag == 5 })?.value,
            let segment = segments.first(where: {
                $0.isLoadable && $0.distance(to: address) != nil
            }), let distance = segment.distance(to: address)
        else {
            stringsOffset = nil
            return
        }
        let position = segment.fileOffset.addingReportingOverflow(distance)
        stringsOffset = position.overflow ? nil : position.partialValue
    }

    /// The texts of entries with this tag, in order.
    func texts(_ tag: UInt64) -> [String] {
        guard let stringsOffset else { return [] }
        return entries.filter { $0.tag == tag }.compactMap { entry in
            let position = stringsOffset.addingReportingOverflow(entry.value)
            guard !position.overflow, let start = Int(exactly: position.partialValue) else {
                return nil
            }
            return bytes.terminatedText(at: start)
        }
    }
}

extension ByteSlice {
    /// The text from `offset` to the next zero byte; nil if there is none within `limit` bytes.
    func terminatedText(at offset: Int, limit: Int = 65_536) -> String? {
        guard offset >= 0, offset < count else { return nil }
        let rest = slice(from: offset, length: limit)
        return rest.withUnsafeBytes { bytes in
            bytes.firstIndex(of: 0).map { String(decoding: bytes[..<$0], as: UTF8.self) }
        }
    }
}
