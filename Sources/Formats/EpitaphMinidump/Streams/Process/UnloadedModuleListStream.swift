// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_UNLOADED_MODULE_LIST: the sizes of header and record, a count, and records.
enum UnloadedModuleListStream {
    private static let headerByteCount: UInt32 = 12
    private static let recordByteCount: UInt32 = 24

    static func place(_ modules: [ModuleSnapshot], in layout: inout FileLayout) -> Location {
        var record = ByteBuilder()
        record.append(
            headerByteCount, recordByteCount, UInt32(truncatingIfNeeded: modules.count))
        for module in modules {
            let range = module.addressRange
            record.append(range.lowerBound, UInt32(clamping: range.upperBound - range.lowerBound))
            record.append(UInt64(0))  // checksum, link time: ELF has none
            record.append(
                layout.placeUTF16(LongText.shortPath(module.path), for: "unloaded modules"))
        }
        return layout.place(record, for: "unloaded modules")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let header = try cursor.read(UInt32.self)
        let size = try cursor.read(UInt32.self)
        let count = try cursor.read(UInt32.self)
        guard header >= headerByteCount, size >= recordByteCount else { return }
        try cursor.skip(Int(header - headerByteCount))
        let admitted = file.admitted(
            min(Int(count), cursor.remainingCount / Int(size)), memoryBytes: 256, limit: .max,
            for: "unloaded modules")
        for _ in 0..<admitted {
            var record = ByteCursor(try cursor.readSlice(count: Int(size)))
            let start = snapshot.architecture.address(try record.read())
            let range = Range(at: start, count: UInt64(try record.read(UInt32.self)))
            try record.skip(8)
            let name = file.utf16(at: try record.read(UInt32.self), for: "unloaded modules")
            guard let range, let name else { continue }
            snapshot.unloadedModules.append(
                ModuleSnapshot(path: name, addressRange: range, kind: .sharedObject))
        }
    }
}
