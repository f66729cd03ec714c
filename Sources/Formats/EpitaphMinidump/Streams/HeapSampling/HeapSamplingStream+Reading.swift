// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension HeapSamplingStream {
    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let found = try cursor.read(UInt32.self)
        guard found == version else {
            return file.note(subject, "they are written in a form that is not known (\(found))")
        }
        var heap = HeapSampling()
        heap.error = HeapError(rawValue: UInt8(truncatingIfNeeded: try cursor.read(UInt32.self)))
        heap.rate = known(try cursor.read(UInt64.self))
        heap.sampledCount = count(try cursor.read())
        heap.caughtCount = count(try cursor.read())
        heap.pool = range(try cursor.read(), try cursor.read())
        heap.now = known(try cursor.read())
        heap.errorAddress = known(try cursor.read())
        let byteCount = Int(clamping: try cursor.read(UInt32.self))
        let blockCount = Int(clamping: try cursor.read(UInt32.self))
        let attributeCount = Int(clamping: try cursor.read(UInt32.self))
        try cursor.skip(4)
        let bytes = try cursor.readSlice(count: errorByteLimit)
        heap.errorBytes = bytes.slice(from: 0, length: byteCount).array
        guard blockCount <= HeapSampling.blockLimit else {
            return file.note(subject, "there are more than \(HeapSampling.blockLimit) blocks")
        }
        try readBlocks(blockCount, &cursor, &file, snapshot.architecture, into: &heap)
        for _ in 0..<min(attributeCount, attributeLimit) {
            try readAttribute(&cursor, &file, into: &heap)
        }
        snapshot.heap = heap
    }

    private static func known(_ value: UInt64) -> UInt64? { value == 0 ? nil : value }

    private static func count(_ value: UInt64) -> UInt64? { value == unknownCount ? nil : value }

    private static func range(_ address: UInt64, _ size: UInt64) -> Range<UInt64>? {
        size == 0 ? nil : Range(at: address, count: size)
    }

    private static func readBlocks(
        _ count: Int, _ cursor: inout ByteCursor, _ file: inout MinidumpFile,
        _ architecture: Architecture, into heap: inout HeapSampling
    ) throws(TruncatedRead) {
        var flags: [UInt32] = []
        for _ in 0..<count {
            var block = SampledBlock(address: try cursor.read(), size: try cursor.read())
            block.alignment = known(try cursor.read())
            block.slot = range(try cursor.read(), try cursor.read())
            block.state = .init(rawValue: UInt8(truncatingIfNeeded: try cursor.read(UInt32.self)))
            flags.append(try cursor.read())
            block.typeName = text(try cursor.read(), &file)
            try cursor.skip(4)
            heap.blocks.append(block)
        }
        for index in 0..<count {
            let allocated = try moment(&cursor, &file, architecture)
            let freed = try moment(&cursor, &file, architecture)
            if flags[index] & Flag.allocated != 0 { heap.blocks[index].allocated = allocated }
            if flags[index] & Flag.freed != 0 { heap.blocks[index].freed = freed }
        }
    }

    private static func moment(
        _ cursor: inout ByteCursor, _ file: inout MinidumpFile, _ architecture: Architecture
    ) throws(TruncatedRead) -> HeapMoment {
        var moment = HeapMoment()
        moment.time = known(try cursor.read())
        moment.threadID = known(try cursor.read())
        moment.threadName = text(try cursor.read(), &file)
        moment.registers = file.context(
            at: try cursor.readLocation(), on: architecture, of: subject)
        let stack = try cursor.readLocation()
        try cursor.skip(4)
        let address = try cursor.read(UInt64.self)
        if let bytes = file.bytes(at: stack, for: subject) {
            moment.stack = MemoryRegion(address: address, bytes: bytes)
        }
        return moment
    }

    /// Skips those of a later version's moments and types, and removed ones.
    private static func readAttribute(
        _ cursor: inout ByteCursor, _ file: inout MinidumpFile, into heap: inout HeapSampling
    ) throws(TruncatedRead) {
        let number = try cursor.read(UInt32.self)
        let type = AttributeType(rawValue: try cursor.read())
        let flags = try cursor.read(UInt8.self)
        try cursor.skip(2)
        let name = text(try cursor.read(), &file)
        let value = text(try cursor.read(), &file) ?? ""
        guard let place = HeapMoment.Place(number: number), let type, let name,
            heap.blocks.indices.contains(place.block)
        else { return }
        var attribute = Annotation(name: name, value: value, type: type)
        attribute.isCut = flags & Flag.cut != 0
        if place.isFree {
            heap.blocks[place.block].freed?.attributes.append(attribute)
        } else {
            heap.blocks[place.block].allocated?.attributes.append(attribute)
        }
    }

    private static func text(_ offset: UInt32, _ file: inout MinidumpFile) -> String? {
        offset == 0 ? nil : file.utf8(at: offset, for: subject)
    }
}
