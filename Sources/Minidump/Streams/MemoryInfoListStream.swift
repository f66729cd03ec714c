// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// MINIDUMP_MEMORY_INFO_LIST: a header of 16 bytes and records of 48, one for each line of the maps
/// file. The reader has the maps file itself.
enum MemoryInfoListStream {
    private static let headerByteCount: UInt32 = 16
    private static let recordByteCount: UInt32 = 48
    private static let committed: UInt32 = 0x1000
    private static let privateMemory: UInt32 = 0x2_0000
    private static let mappedMemory: UInt32 = 0x4_0000

    static func place(_ mappings: [MemoryMapping], in layout: inout FileLayout) -> Location {
        var record = ByteBuilder()
        record.append(headerByteCount)
        record.append(recordByteCount)
        record.append(UInt64(mappings.count))
        for mapping in mappings {
            let range = mapping.addressRange
            record.append(range.lowerBound)
            record.append(range.lowerBound)  // allocation base
            record.append(protection(of: mapping))  // at allocation
            record.append(UInt32(0))  // alignment
            record.append(range.upperBound - range.lowerBound)
            record.append(committed)
            record.append(protection(of: mapping))
            record.append(mapping.isShared ? mappedMemory : privateMemory)
            record.append(UInt32(0))  // alignment
        }
        return layout.place(record, for: "memory map")
    }

    /// PAGE_… constants of winnt.h. They have no write-only and no write-execute-only page; the
    /// nearest larger right stands in.
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
