// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// `.debug_cu_index` of a `.dwp` file: a hash table of units and section parts. DWARF 5, 7.3.5.3.
struct PackageIndex {
    private let bytes: ByteSlice
    private let columnCount: Int
    private let rowCount: Int
    private let slotCount: Int
    private let columnNames: [String?]

    // DW_SECT_..., table 7.1 for version 5; GCC's own for version 2.
    private static let names5: [UInt32: String] = [
        1: ".debug_info.dwo", 3: ".debug_abbrev.dwo", 4: ".debug_line.dwo",
        6: ".debug_str_offsets.dwo", 8: ".debug_rnglists.dwo",
    ]
    private static let names2: [UInt32: String] = [
        1: ".debug_info.dwo", 3: ".debug_abbrev.dwo", 4: ".debug_line.dwo",
        6: ".debug_str_offsets.dwo",
    ]

    init?(_ bytes: ByteSlice) {
        var cursor = ByteCursor(bytes)
        // 16 bits and padding in version 5, 32 bits in version 2.
        guard let version = try? cursor.read(UInt16.self), version == 2 || version == 5,
            (try? cursor.skip(2)) != nil, let columns = try? cursor.read(UInt32.self),
            let rows = try? cursor.read(UInt32.self), let slots = try? cursor.read(UInt32.self),
            columns > 0, columns <= 16, slots > 0, slots.nonzeroBitCount == 1,
            UInt64(slots) * 12 <= UInt64(bytes.count), UInt64(rows) * 8 <= UInt64(bytes.count)
        else { return nil }
        self.bytes = bytes
        columnCount = Int(columns)
        rowCount = Int(rows)
        slotCount = Int(slots)
        let names = version == 5 ? Self.names5 : Self.names2
        columnNames = (0..<Int(columns)).map { column in
            bytes.load(at: 16 + Int(slots) * 12 + column * 4).flatMap { names[$0] }
        }
    }

    func parts(ofUnit id: UInt64) -> [String: Range<UInt64>]? {
        guard let row = row(ofUnit: id) else { return nil }
        let rowSize = columnCount * 4
        let offsets = 16 + slotCount * 12 + rowSize
        let sizes = offsets + rowCount * rowSize
        var parts: [String: Range<UInt64>] = [:]
        for (column, name) in columnNames.enumerated() {
            let position = (row - 1) * rowSize + column * 4
            guard let name, let offset = bytes.load(at: offsets + position, as: UInt32.self),
                let size = bytes.load(at: sizes + position, as: UInt32.self)
            else { continue }
            parts[name] = UInt64(offset)..<UInt64(offset) + UInt64(size)
        }
        return parts
    }

    private func row(ofUnit id: UInt64) -> Int? {
        let mask = UInt64(slotCount - 1)
        var slot = id & mask
        let step = (id >> 32) & mask | 1
        for _ in 0..<slotCount {
            guard let found = bytes.load(at: 16 + Int(slot) * 8, as: UInt64.self),
                let row = bytes.load(at: 16 + slotCount * 8 + Int(slot) * 4, as: UInt32.self),
                row > 0,
                row <= rowCount
            else { return nil }
            if found == id { return Int(row) }
            slot = (slot + step) & mask
        }
        return nil
    }
}
