// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Header of 16 bytes, records of 48. Only read if the maps file, which says more, is missing.
enum MemoryInfoListStream {
    private static let headerByteCount: UInt32 = 16
    private static let recordByteCount: UInt32 = 48
    private static let committed: UInt32 = 0x1000
    /// Without PAGE_GUARD and other modifiers.
    private static let protectionMask: UInt32 = 0xff
    private static let privateMemory: UInt32 = 0x2_0000
    private static let mappedMemory: UInt32 = 0x4_0000

    static func place(_ mappings: [MemoryMapping], in layout: inout FileLayout) -> Location {
        var record = ByteBuilder()
        record.append(headerByteCount, recordByteCount, UInt64(mappings.count))
        for mapping in mappings {
            let range = mapping.addressRange
            record.append(range.lowerBound)
            record.append(range.lowerBound)  // allocation base
            record.append(protection(of: mapping))  // at allocation
            record.append(UInt32(0))  // alignment
            record.append(range.upperBound - range.lowerBound, committed, protection(of: mapping))
            record.append(mapping.isShared ? mappedMemory : privateMemory)
            record.append(UInt32(0))  // alignment
        }
        return layout.place(record, for: "memory map")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        guard snapshot.files.maps == nil else { return }
        var cursor = ByteCursor(stream)
        let headerSize = Int(try cursor.read(UInt32.self))
        let recordSize = Int(try cursor.read(UInt32.self))
        let count = try cursor.read(UInt64.self)
        guard headerSize >= Int(headerByteCount), recordSize >= Int(recordByteCount) else {
            return file.note("memory map", "its records have \(recordSize) bytes")
        }
        try cursor.skip(headerSize - Int(headerByteCount))
        let available = UInt64(cursor.remainingCount / recordSize)
        if count > available {
            file.note("memory map", "\(count) entries announced, \(available) are there")
        }
        let admitted = file.admitted(
            Int(min(count, available)), memoryBytes: 160, for: "memory map")
        for _ in 0..<admitted {
            let record = ByteCursor(try cursor.readSlice(count: recordSize))
            if let mapping = try mapping(record) { snapshot.mappingsWithoutFile.append(mapping) }
        }
    }

    /// Nil for free or reserved address space.
    private static func mapping(_ record: ByteCursor) throws(TruncatedRead) -> MemoryMapping? {
        var cursor = record
        let address = try cursor.read(UInt64.self)
        try cursor.skip(16)
        let size = try cursor.read(UInt64.self)
        let state = try cursor.read(UInt32.self)
        let protection = try cursor.read(UInt32.self) & protectionMask
        let type = try cursor.read(UInt32.self)
        guard state & committed != 0, size > 0, let range = Range(at: address, count: size) else {
            return nil
        }
        var mapping = MemoryMapping(addressRange: range)
        mapping.isReadable = [0x02, 0x04, 0x08, 0x20, 0x40, 0x80].contains(protection)
        mapping.isWritable = [0x04, 0x08, 0x40, 0x80].contains(protection)
        mapping.isExecutable = protection & 0xf0 != 0
        mapping.isShared = type & mappedMemory != 0
        return mapping
    }

    /// PAGE_… of winnt.h. It has no write-only and write-execute, which become readable as well.
    private static func protection(of mapping: MemoryMapping) -> UInt32 {
        switch (mapping.isReadable, mapping.isWritable, mapping.isExecutable) {
        case (false, false, false): 0x01
        case (true, false, false): 0x02
        case (_, true, false): 0x04
        case (false, false, true): 0x10
        case (true, false, true): 0x20
        case (_, true, true): 0x40
        }
    }
}
