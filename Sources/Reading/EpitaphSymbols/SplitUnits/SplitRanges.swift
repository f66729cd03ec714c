// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum SplitRanges {
    /// `.debug_rnglists.dwo`, in the entries' file. DWARF 5, 7.28.
    case version5(ByteSlice)
    /// `.debug_ranges` in the skeleton's file, relative to DW_AT_GNU_ranges_base. DWARF 4, 2.17.3.
    case version4(ByteSlice, base: UInt64)

    /// Starts and ends. Unreadable lists end early.
    ///
    /// - Parameters:
    ///   - number: index or offset of the list.
    ///   - start: initial base of the list's offsets.
    func list(
        _ number: UInt64, isIndex: Bool, from start: UInt64, addressAt: (UInt64) -> UInt64?,
        _ budget: WorkBudget
    ) -> [(UInt64, UInt64)] {
        switch self {
        case .version4(let section, let base):
            guard !isIndex, let offset = Int(exactly: base &+ number) else { return [] }
            var cursor = ByteCursor(section, offset: offset)
            return Self.pairs(&cursor, from: start, budget)
        case .version5(let section):
            guard let offset = isIndex ? Self.offset(ofList: number, in: section) : number,
                let offset = Int(exactly: offset)
            else { return [] }
            var cursor = ByteCursor(section, offset: offset)
            return Self.entries(&cursor, from: start, addressAt: addressAt, budget)
        }
    }

    /// Offsets follow a header of 12 bytes: length 4, version 2, two sizes, count 4.
    private static func offset(ofList index: UInt64, in section: ByteSlice) -> UInt64? {
        guard let distance = Int(exactly: index), distance < section.count / 4 else { return nil }
        return section.load(at: 12 + 4 * distance, as: UInt32.self).map { 12 + UInt64($0) }
    }

    private static func pairs(
        _ cursor: inout ByteCursor, from start: UInt64, _ budget: WorkBudget
    ) -> [(UInt64, UInt64)] {
        var ranges: [(UInt64, UInt64)] = []
        var base = start
        while budget.spend(), let first = try? cursor.read(UInt64.self),
            let second = try? cursor.read(UInt64.self), first != 0 || second != 0
        {
            if first == .max {
                base = second
            } else {
                ranges.append((base &+ first, base &+ second))
            }
        }
        return ranges
    }

    private static func entries(
        _ cursor: inout ByteCursor, from start: UInt64, addressAt: (UInt64) -> UInt64?,
        _ budget: WorkBudget
    ) -> [(UInt64, UInt64)] {
        var ranges: [(UInt64, UInt64)] = []
        var base = start
        while budget.spend(), let kind = try? cursor.read(UInt8.self), kind != 0 {
            func number() -> UInt64? { cursor.readUnsignedLEB128() }
            func word() -> UInt64? { try? cursor.read(UInt64.self) }
            func address() -> UInt64? { number().flatMap(addressAt) }
            switch kind {
            case 1, 5:  // DW_RLE_base_addressx, DW_RLE_base_address
                guard let new = kind == 1 ? address() : word() else { return ranges }
                base = new
            case 2:  // DW_RLE_startx_endx
                guard let first = address(), let end = address() else { return ranges }
                ranges.append((first, end))
            case 3, 7:  // DW_RLE_startx_length, DW_RLE_start_length
                guard let first = kind == 3 ? address() : word(), let size = number() else {
                    return ranges
                }
                ranges.append((first, first &+ size))
            case 4:  // DW_RLE_offset_pair
                guard let first = number(), let second = number() else { return ranges }
                ranges.append((base &+ first, base &+ second))
            case 6:  // DW_RLE_start_end
                guard let first = word(), let end = word() else { return ranges }
                ranges.append((first, end))
            default: return ranges
            }
        }
        return ranges
    }
}

extension ByteCursor {
    mutating func readUnsignedLEB128() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = try? read(UInt8.self) else { return nil }
            value |= UInt64(byte & 0x7f) << UInt64(shift)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
