// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_THREAD_NAME_LIST: a count and packed records of 12 bytes.
enum ThreadNamesStream {
    private static let recordByteCount = 12

    static func place(_ threads: [WrittenThread], in layout: inout FileLayout) -> Location {
        let named = threads.compactMap { written in
            written.thread.name.map { (id: written.id, name: $0) }
        }
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: named.count))
        for (id, name) in named {
            record.append(id)
            record.append(UInt64(layout.placeUTF16(name, for: "name of thread \(id)")))
        }
        return layout.place(record, for: "thread names")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var names: [UInt64: String] = [:]
        for slice in try file.records(
            in: stream, byteCount: recordByteCount, for: "thread names")
        {
            var cursor = ByteCursor(slice)
            let id = try cursor.read(UInt32.self)
            let offset = try cursor.read(UInt64.self)
            names[UInt64(id)] = file.utf16(at: offset, for: "name of thread \(id)")
        }
        for index in snapshot.threads.indices {
            snapshot.threads[index].name = names[snapshot.threads[index].id]
        }
    }
}
