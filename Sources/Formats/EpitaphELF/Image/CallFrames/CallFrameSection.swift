// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// `.eh_frame` (LSB Core, 10.6) or `.debug_frame` (DWARF 5, 6.4).
struct CallFrameSection: Sendable {
    enum Form: Sendable { case ehFrame, debugFrame }

    let form: Form
    let bytes: ByteSlice
    let address: UInt64

    private static let functionLimit = 1 << 20

    /// The fields that both kinds of entries have.
    private struct Entry {
        let commonOffset: Int?
        /// Offset after the identifying field.
        let bodyOffset: Int
        let endOffset: Int
    }

    func functionEntry(at offset: Int) -> FrameDescription? {
        guard let entry = entry(at: offset), let commonOffset = entry.commonOffset,
            let common = commonEntry(at: commonOffset)
        else { return nil }
        return functionEntry(entry, common)
    }

    func functionRanges() -> [(range: Range<UInt64>, offset: Int)] {
        var found: [(range: Range<UInt64>, offset: Int)] = []
        var commonEntries: [Int: CommonFrameInformation?] = [:]
        var offset = 0
        while let entry = entry(at: offset), found.count < Self.functionLimit {
            defer { offset = entry.endOffset }
            guard let commonOffset = entry.commonOffset else { continue }
            let common = commonEntries[commonOffset] ?? commonEntry(at: commonOffset)
            commonEntries[commonOffset] = .some(common)
            guard let common, let function = functionEntry(entry, common) else { continue }
            found.append((function.addressRange, offset))
        }
        return found
    }

    /// Each entry can be read and is of this code, the first is a common one, and behind the last are
    /// the mark of the section's end, a length of 0, and no more bytes.
    func isWhole(ofCode code: [ELFSegment]) -> Bool {
        var valid: Set<Int> = []
        var functionCount = 0
        var offset = 0
        while let entry = entry(at: offset), functionCount < Self.functionLimit {
            if let commonOffset = entry.commonOffset {
                guard valid.contains(commonOffset), let common = commonEntry(at: commonOffset),
                    let range = functionEntry(entry, common)?.addressRange,
                    code.contains(where: { $0.distance(to: range.lowerBound) != nil })
                else { return false }
                functionCount += 1
            } else {
                guard commonEntry(at: offset) != nil else { return false }
                valid.insert(offset)
            }
            offset = entry.endOffset
        }
        var end = ByteCursor(bytes, offset: offset)
        return functionCount > 0 && end.remainingCount == 4 && (try? end.read(UInt32.self)) == 0
    }

    private func entry(at offset: Int) -> Entry? {
        guard offset >= 0, offset < bytes.count else { return nil }
        var cursor = ByteCursor(bytes, offset: offset)
        guard let short = try? cursor.read(UInt32.self), short > 0 else { return nil }
        var length = UInt64(short)
        let isLong = short == 0xffff_ffff
        if isLong {
            guard let long = try? cursor.read(UInt64.self) else { return nil }
            length = long
        }
        let contentOffset = cursor.offset
        guard length >= 4, length <= UInt64(cursor.remainingCount) else { return nil }
        let end = contentOffset + Int(length)
        guard let mark = identifier(&cursor, isLong: isLong), cursor.offset <= end else {
            return nil
        }
        return Entry(
            commonOffset: commonOffset(mark, isLong: isLong, fieldOffset: contentOffset),
            bodyOffset: cursor.offset, endOffset: end)
    }

    private func identifier(_ cursor: inout ByteCursor, isLong: Bool) -> UInt64? {
        // In .eh_frame the field has 4 bytes in the long form, too.
        if isLong, form == .debugFrame { return try? cursor.read(UInt64.self) }
        return (try? cursor.read(UInt32.self)).map(UInt64.init)
    }

    /// Nil for a common entry; -1, an unreadable offset, if the mark is wrong.
    private func commonOffset(_ mark: UInt64, isLong: Bool, fieldOffset: Int) -> Int? {
        switch form {
        case .ehFrame:
            if mark == 0 { return nil }
            return mark <= UInt64(fieldOffset) ? fieldOffset - Int(mark) : -1
        case .debugFrame:
            if mark == (isLong ? .max : 0xffff_ffff) { return nil }
            return Int(exactly: mark) ?? -1
        }
    }

    private func commonEntry(at offset: Int) -> CommonFrameInformation? {
        guard let entry = entry(at: offset), entry.commonOffset == nil else { return nil }
        let body = bytes.slice(from: entry.bodyOffset, length: entry.endOffset - entry.bodyOffset)
        return try? CommonFrameInformation(
            reading: body, at: address &+ UInt64(entry.bodyOffset), in: form)
    }

    private func functionEntry(
        _ entry: Entry, _ common: CommonFrameInformation
    ) -> FrameDescription? {
        let body = bytes.slice(from: entry.bodyOffset, length: entry.endOffset - entry.bodyOffset)
        return try? FrameDescription(
            reading: body, at: address &+ UInt64(entry.bodyOffset), common: common)
    }
}
