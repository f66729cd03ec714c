// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_MEMORY_LIST: a count and descriptors of 16 bytes; MINIDUMP_MEMORY64_LIST is only read.
enum MemoryListStream {
    private static let descriptorByteCount = 16

    static func byteCount(runCount: Int) -> Int { 4 + runCount * descriptorByteCount }

    static func record(of memory: MemoryPlan) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: memory.runs.count))
        for (run, location) in zip(memory.runs, memory.locations) {
            record.append(run.address)
            record.append(location)
        }
        return record
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        let records = try file.records(
            in: stream, byteCount: descriptorByteCount, memoryBytes: 160, for: "memory list")
        for slice in records {
            var cursor = ByteCursor(slice)
            let address = snapshot.architecture.address(try cursor.read())
            let location = try cursor.readLocation()
            var subject: String { "memory at 0x" + String(address, radix: 16) }
            guard let bytes = file.bytes(at: location, for: subject) else { continue }
            snapshot.memory.append(MemoryRegion(address: address, bytes: bytes))
        }
    }

    /// MINIDUMP_MEMORY64_LIST: a count, offset of the first bytes, (address, size) pairs.
    static func read64(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let count = try cursor.read(UInt64.self)
        var offset = try cursor.read(UInt64.self)
        let available = UInt64(cursor.remainingCount / descriptorByteCount)
        if count > available {
            file.note("memory list", "\(count) ranges announced, room for \(available)")
        }
        let admitted = file.admitted(
            Int(min(count, available)), memoryBytes: 160, for: "memory list")
        for _ in 0..<admitted {
            let address = snapshot.architecture.address(try cursor.read())
            let size = try cursor.read(UInt64.self)
            var subject: String { "memory at 0x" + String(address, radix: 16) }
            let bytes = file.bytes(offset: offset, size: size, for: subject)
            if let bytes { snapshot.memory.append(MemoryRegion(address: address, bytes: bytes)) }
            let (next, overflow) = offset.addingReportingOverflow(size)
            guard !overflow else { return }
            offset = next
        }
    }
}
