// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// PT_DYNAMIC: names, libraries, the dynamic linker's tables. gABI, Dynamic Section.
struct ELFDynamicSection {
    var soname: String? { texts(14).first }

    private let entries: [(tag: UInt64, value: UInt64)]
    private let bytes: ByteSlice
    private let segments: [ELFSegment]

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
        self.segments = segments.filter(\.isLoadable)
    }

    func value(_ tag: UInt64) -> UInt64? { entries.last { $0.tag == tag }?.value }

    /// The bytes from the address of this tag to the end of its segment, or fewer; empty without.
    func table(_ tag: UInt64, byteCount: UInt64 = .max) -> ByteSlice {
        for segment in segments {
            guard let distance = value(tag).flatMap(segment.distance) else { continue }
            let start = segment.fileOffset.addingReportingOverflow(distance)
            guard !start.overflow, let offset = Int(exactly: start.partialValue) else { break }
            let length = min(byteCount, segment.fileSize - distance)
            return bytes.slice(from: offset, length: Int(clamping: length))
        }
        return .empty
    }

    func texts(_ tag: UInt64) -> [String] {
        // DT_STRTAB
        let strings = table(5)
        return entries.filter { $0.tag == tag }.compactMap {
            strings.terminatedText(at: Int(clamping: $0.value))
        }
    }
}

extension ByteSlice {
    private static let usualTextBytes = 256

    /// The text from `offset` to the next zero byte; nil if there is none within `limit` bytes.
    func terminatedText(at offset: Int, limit: Int = 65_536) -> String? {
        guard offset >= 0, offset < count else { return nil }
        // Most are short, and a file is read as far as it is looked at.
        for length in [min(Self.usualTextBytes, limit), limit] {
            let text = slice(from: offset, length: length).withUnsafeBytes { bytes in
                bytes.firstIndex(of: 0).map { String(decoding: bytes[..<$0], as: UTF8.self) }
            }
            if let text { return text }
        }
        return nil
    }
}
