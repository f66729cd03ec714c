// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The ELF header and the program headers of a core file: elf(5), core(5), fs/binfmt_elf.c.
struct CoreHeader {
    let architecture: Architecture
    let segments: [CoreSegment]

    static let size = 64
    /// e_phnum of a file with 65,535 or more program headers: elf(5).
    private static let countInSection: UInt16 = 0xffff
    /// The same limit as for the mappings of a dump.
    private static let countLimit = 1 << 18
    private static let coreType: UInt16 = 4

    static func isCore(_ head: ByteSlice) -> Bool {
        head.slice(from: 0, length: 4).array == [0x7f, 0x45, 0x4c, 0x46]
            && (head.byte(at: 5) == 2
                ? head.byte(at: 17) == 4 && head.byte(at: 16) == 0
                : head.load(at: 16, as: UInt16.self) == coreType)
    }

    init(_ source: some CoreSource) throws(CoreFileError) {
        let head = source.bytes(at: 0, count: Self.size)
        guard Self.isCore(head) else { throw .notACore }
        guard head.byte(at: 4) == 2 else { throw .unsupported("not of 64 bits") }
        guard head.byte(at: 5) == 1 else { throw .unsupported("not little-endian") }
        guard let machine = head.load(at: 18, as: UInt16.self),
            let offset = head.load(at: 32, as: UInt64.self),
            let entrySize = head.load(at: 54, as: UInt16.self),
            let shortCount = head.load(at: 56, as: UInt16.self)
        else { throw .truncated("header", offset: UInt64(head.count)) }
        guard let architecture = Architecture(rawValue: machine), architecture.isCaptured else {
            throw .unsupported("of processor number \(machine)")
        }
        self.architecture = architecture
        guard entrySize == CoreSegment.headerSize else {
            throw .unsupported("using program headers of \(entrySize) bytes")
        }
        let count = try Self.count(shortCount, head, source)
        segments = try Self.segments(at: offset, count: count, source)
    }

    /// From 65,535 program headers on, sh_info of the first section header has their number. The
    /// kernel writes it last; if it is missing, the number follows from the offset of the notes,
    /// directly behind the program headers: fs/binfmt_elf.c.
    private static func count(
        _ short: UInt16, _ head: ByteSlice, _ source: some CoreSource
    ) throws(CoreFileError) -> Int {
        guard short == countInSection else { return Int(short) }
        guard let offset = head.load(at: 40, as: UInt64.self), offset > 0 else {
            throw .malformed("the number of program headers is missing", offset: 40)
        }
        let section = offset <= source.byteCount ? source.bytes(at: offset, count: 64) : .empty
        guard
            let count = section.load(at: 44, as: UInt32.self).map(UInt64.init)
                ?? countBeforeNotes(source)
        else { throw .truncated("section header, which counts its segments,", offset: offset) }
        guard count <= UInt64(countLimit) else {
            throw .unsupported("one of \(count) segments; at most \(countLimit) are read")
        }
        return Int(count)
    }

    private static func countBeforeNotes(_ source: some CoreSource) -> UInt64? {
        let first = source.bytes(at: UInt64(size), count: Int(CoreSegment.headerSize))
        guard first.load(at: 0, as: UInt32.self) == CoreSegment.note,
            let notes = first.load(at: 8, as: UInt64.self), notes > UInt64(size),
            (notes - UInt64(size)) % UInt64(CoreSegment.headerSize) == 0
        else { return nil }
        return (notes - UInt64(size)) / UInt64(CoreSegment.headerSize)
    }

    private static func segments(
        at offset: UInt64, count: Int, _ source: some CoreSource
    ) throws(CoreFileError) -> [CoreSegment] {
        let size = count * Int(CoreSegment.headerSize)
        guard offset <= source.byteCount else {
            throw .truncated("program headers", offset: source.byteCount)
        }
        let table = source.bytes(at: offset, count: size)
        guard table.count == size else {
            throw .truncated("program headers", offset: offset + UInt64(table.count))
        }
        return (0..<count).compactMap { index in
            CoreSegment(table, at: index * Int(CoreSegment.headerSize))
        }
    }
}

struct CoreSegment: Equatable {
    /// `p_type`: PT_LOAD 1, PT_NOTE 4.
    var type: UInt32
    /// `p_flags`: PF_X 1, PF_W 2, PF_R 4.
    var flags: UInt32
    var fileOffset: UInt64
    var address: UInt64
    /// The kernel leaves out memory by core_filter: such a segment has size 0 in the file.
    var fileSize: UInt64
    var memorySize: UInt64

    static let headerSize: UInt16 = 56
    static let load: UInt32 = 1
    static let note: UInt32 = 4
}

extension CoreSegment {
    fileprivate init?(_ table: ByteSlice, at offset: Int) {
        var cursor = ByteCursor(table, offset: offset)
        guard let type = try? cursor.read(UInt32.self), let flags = try? cursor.read(UInt32.self),
            let fileOffset = try? cursor.read(UInt64.self),
            let address = try? cursor.read(UInt64.self), (try? cursor.skip(8)) != nil,
            let fileSize = try? cursor.read(UInt64.self),
            let memorySize = try? cursor.read(UInt64.self)
        else { return nil }
        self.init(
            type: type, flags: flags, fileOffset: fileOffset, address: address,
            fileSize: fileSize, memorySize: memorySize)
    }

    /// Empty if the segment would leave the address space.
    var addressRange: Range<UInt64> {
        Range(at: address, count: memorySize) ?? address..<address
    }

    var fileEnd: UInt64? {
        Range(at: fileOffset, count: fileSize)?.upperBound
    }
}
