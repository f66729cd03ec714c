// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What is in front of a unit's entries: DWARF 5, 7.5.1.
struct UnitHeader {
    let endOffset: Int
    let abbreviationOffset: Int
    let format: EntryFormat

    init?(_ bytes: ByteSlice, at offset: Int) {
        var cursor = ByteCursor(bytes, offset: offset)
        guard let short = try? cursor.read(UInt32.self) else { return nil }
        let isLong = short == .max
        guard let length = isLong ? try? cursor.read(UInt64.self) : UInt64(short),
            length <= UInt64(cursor.remainingCount)
        else { return nil }
        endOffset = cursor.offset + Int(length)
        func number() -> UInt64? {
            isLong
                ? try? cursor.read(UInt64.self)
                : (try? cursor.read(UInt32.self)).map(UInt64.init)
        }
        guard let version = try? cursor.read(UInt16.self) else { return nil }
        var addressBytes: UInt8?
        if version >= 5 {
            // The unit's type stands in front of it.
            guard (try? cursor.skip(1)) != nil, let size = try? cursor.read(UInt8.self) else {
                return nil
            }
            addressBytes = size
        }
        guard let abbreviations = number() else { return nil }
        abbreviationOffset = Int(clamping: abbreviations)
        format = EntryFormat(
            version: version, offsetBytes: isLong ? 8 : 4,
            addressBytes: addressBytes ?? (try? cursor.read(UInt8.self)) ?? 0)
    }
}

/// What the sizes of attributes depend on: DWARF 5, 7.5.5.
struct EntryFormat: Equatable {
    let version: UInt16
    let offsetBytes: UInt8
    let addressBytes: UInt8
}
