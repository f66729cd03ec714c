// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

extension ELFImage {
    /// The function's start by the unwind tables, which stripped files keep.
    func unwindFunctionStart(of fileAddress: UInt64) -> UInt64? {
        guard let table = unwindTable else { return nil }
        var low: UInt64 = 0
        var high = table.entryCount
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = unwindEntry(middle, of: table) else { return nil }
            if entry.start <= fileAddress { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let entry = unwindEntry(low - 1, of: table),
            let size = functionSize(entry), fileAddress &- entry.start < size
        else { return nil }
        return entry.start
    }

    private struct UnwindEntry {
        let start: UInt64
        let description: UInt64
    }

    // Two signed 32-bit distances from the header: LSB Core, 10.6.2.
    private func unwindEntry(_ index: UInt64, of table: UnwindTable) -> UnwindEntry? {
        var cursor = ByteCursor(constantBytes(at: table.entriesAddress &+ index &* 8, count: 8))
        guard let start = try? cursor.read(Int32.self),
            let description = try? cursor.read(Int32.self)
        else { return nil }
        return UnwindEntry(
            start: table.headerAddress &+ UInt64(bitPattern: Int64(start)),
            description: table.headerAddress &+ UInt64(bitPattern: Int64(description)))
    }

    // LSB Core, 10.6.1.1.1: length, distance to the CIE, first address, size. Compilers use signed
    // 32-bit distances; if the address disagrees with the table, the encoding is another.
    private func functionSize(_ entry: UnwindEntry) -> UInt64? {
        var cursor = ByteCursor(constantBytes(at: entry.description, count: 16))
        guard (try? cursor.skip(8)) != nil, let distance = try? cursor.read(Int32.self),
            let size = try? cursor.read(UInt32.self),
            entry.description &+ 8 &+ UInt64(bitPattern: Int64(distance)) == entry.start
        else { return nil }
        return UInt64(size)
    }
}
