// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A header, then blocks, two moments for each, attributes of moments. Texts, registers and bytes
/// of stacks are elsewhere in the file. docs/minidump.md has the fields.
enum HeapSamplingStream {
    static let version: UInt32 = 1
    static let subject = "sampled allocations"
    static let headerByteCount = 96
    static let blockByteCount = 56
    static let momentByteCount = 48
    static let attributeByteCount = 16
    /// Of what was found beside a block.
    static let errorByteLimit = 16
    static let unknownCount = UInt64.max
    /// More than the scopes of a thread have room for.
    static let attributeLimit = 1_024

    enum Header {
        static let errorByteCount = 64
        static let errorBytes = 80
    }

    enum Block {
        static let typeName = 48
    }

    enum Moment {
        static let threadName = 16
        static let registers = 20
        static let stack = 28
        static let stackAddress = 40
    }

    enum Flag {
        static let allocated: UInt32 = 1
        static let freed: UInt32 = 2
        static let cut: UInt8 = 1
    }
}

extension HeapSamplingStream {
    static func place(
        _ heap: HeapSampling, on architecture: Architecture, in layout: inout FileLayout
    ) -> Location {
        let blocks = heap.blocks.prefix(HeapSampling.blockLimit)
        let records = blocks.map { record(of: $0, &layout) }
        let moments = blocks.flatMap { [$0.allocated, $0.freed] }.map {
            record(of: $0 ?? HeapMoment(), architecture, &layout)
        }
        let attributes = heap.moments.flatMap { place, moment in
            moment.attributes.map { record(of: $0, place, &layout) }
        }
        var stream = ByteBuilder()
        stream.append(version, UInt32(heap.error?.rawValue ?? 0), heap.rate ?? 0)
        stream.append(heap.sampledCount ?? unknownCount, heap.caughtCount ?? unknownCount)
        append(heap.pool, to: &stream)
        stream.append(heap.now ?? 0, heap.errorAddress ?? 0)
        let found = heap.errorBytes.prefix(errorByteLimit)
        stream.append(UInt32(found.count), UInt32(blocks.count), UInt32(attributes.count))
        stream.append(UInt32(0))  // reserved
        stream.append(Array(found))
        stream.appendZeros(errorByteLimit - found.count)
        for record in records + moments + attributes {
            stream.append(record.bytes)
        }
        return layout.place(stream, for: subject)
    }

    private static func append(_ range: Range<UInt64>?, to record: inout ByteBuilder) {
        record.append(range?.lowerBound ?? 0, range.map { $0.upperBound - $0.lowerBound } ?? 0)
    }

    private static func record(of block: SampledBlock, _ layout: inout FileLayout) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(block.address, block.size, block.alignment ?? 0)
        append(block.slot, to: &record)
        record.append(UInt32(block.state?.rawValue ?? 0))
        record.append(
            (block.allocated == nil ? 0 : Flag.allocated) | (block.freed == nil ? 0 : Flag.freed))
        record.append(text(block.typeName ?? "", &layout))
        record.append(UInt32(0))  // reserved
        return record
    }

    private static func record(
        of moment: HeapMoment, _ architecture: Architecture, _ layout: inout FileLayout
    ) -> ByteBuilder {
        let registers = moment.registers.map {
            layout.place(.context($0, architecture), alignment: 16, for: subject)
        }
        let stack = moment.stack.map { layout.place(.slice($0.bytes), alignment: 16, for: subject) }
        var record = ByteBuilder()
        record.append(moment.time ?? 0, moment.threadID ?? 0)
        record.append(text(moment.threadName ?? "", &layout))
        record.append(registers ?? .none)
        record.append(stack ?? .none)
        record.append(UInt32(0))  // reserved
        record.append(moment.stack?.address ?? 0)
        return record
    }

    private static func record(
        of attribute: Annotation, _ place: HeapMoment.Place, _ layout: inout FileLayout
    ) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(
            place.number, attribute.type.rawValue, attribute.isCut ? Flag.cut : UInt8(0))
        record.append(UInt16(0))  // reserved
        record.append(text(attribute.name, &layout))
        record.append(text(attribute.value, &layout))
        return record
    }

    private static func text(_ text: String, _ layout: inout FileLayout) -> UInt32 {
        layout.placeUTF8(unlessEmpty: text, for: subject)
    }
}
