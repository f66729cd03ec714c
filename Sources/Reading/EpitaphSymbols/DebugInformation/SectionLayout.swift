// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphValues

/// Layout of an ELF file in memory: header, section headers, names, contents. elf(5).
struct SectionLayout {
    private struct Item {
        let section: DebugSection
        let place: Range<Int>
        let isInflated: Bool
        let nameOffset: Int
    }

    private static let headerBytes = 64
    /// SHF_COMPRESSED
    private static let compressed: UInt64 = 0x800

    private var items: [Item] = []
    private var names: [UInt8] = [0]
    private let namesPlace: Range<Int>
    let sizeBytes: Int
    /// Bytes that libelf inflates sections to.
    private(set) var leftToLibelf = 0

    init(_ sections: [DebugSection]) {
        var nameOffsets: [Int] = []
        let inflated = sections.map { Self.canInflate($0.form) }
        for (section, isInflated) in zip(sections, inflated) {
            nameOffsets.append(names.count)
            let name =
                isInflated && section.name.hasPrefix(".z")
                ? "." + section.name.dropFirst(2) : section.name
            names += Array(name.utf8) + [0]
        }
        nameOffsets.append(names.count)
        names += Array(".shstrtab".utf8) + [0]
        let namesStart = Self.headerBytes * (sections.count + 3)
        namesPlace = namesStart..<namesStart + names.count
        var end = namesPlace.upperBound
        for (index, section) in sections.enumerated() {
            let start = (end + 15) / 16 * 16
            let size = inflated[index] ? section.size : section.bytes.count
            let place = start..<start + min(size, 1 << 40)
            if !inflated[index], section.form != .plain {
                leftToLibelf += min(section.size, 1 << 40)
            }
            items.append(
                Item(
                    section: section, place: place, isInflated: inflated[index],
                    nameOffset: nameOffsets[index]))
            end = place.upperBound
        }
        sizeBytes = end
    }

    /// Sections that no library is here for are left to libelf.
    private static func canInflate(_ form: DebugSection.Form) -> Bool {
        switch form {
        case .plain, .other: false
        case .zlib: epitaph_deflate_problem() == nil
        case .zstd: epitaph_zstd_problem() == nil
        }
    }

    var places: [String: Range<Int>] {
        var places: [String: Range<Int>] = [:]
        for item in items where item.isInflated || item.section.form == .plain {
            let name = item.section.name
            places[name.hasPrefix(".z") ? "." + name.dropFirst(2) : name] = item.place
        }
        return places
    }

    func write(to memory: UnsafeMutableRawBufferPointer, machine: UInt16) {
        var head = ByteBuilder()
        head.appendRelocatableHeader(
            machine: machine, tableOffset: UInt64(Self.headerBytes),
            sectionCount: UInt16(truncatingIfNeeded: items.count + 2))
        head.appendZeros(Self.headerBytes)
        for item in items { append(item, to: &head) }
        // SHT_STRTAB is 3.
        head.appendSectionHeader(
            nameOffset: UInt32(truncatingIfNeeded: names.count - ".shstrtab".utf8.count - 1),
            type: 3, flags: 0, offset: UInt64(namesPlace.lowerBound),
            size: UInt64(namesPlace.count))
        head.append(names)
        memory.copyBytes(from: head.bytes)
        fill(memory)
    }

    private func append(_ item: Item, to head: inout ByteBuilder) {
        let isCompressed =
            !item.isInflated && item.section.form != .plain && !item.section.name.hasPrefix(".z")
        // SHT_PROGBITS is 1.
        head.appendSectionHeader(
            nameOffset: UInt32(truncatingIfNeeded: item.nameOffset), type: 1,
            flags: isCompressed ? Self.compressed : 0, offset: UInt64(item.place.lowerBound),
            size: UInt64(item.place.count))
    }

    private func fill(_ memory: UnsafeMutableRawBufferPointer) {
        let inflater =
            items.contains { $0.isInflated && $0.section.form != .zstd }
            ? epitaph_libdeflate_alloc_decompressor() : nil
        defer { inflater.map { epitaph_libdeflate_free_decompressor($0) } }
        for item in items {
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[item.place])
            guard item.isInflated else {
                item.section.bytes.copy(to: target)
                continue
            }
            let payload = item.section.bytes.slice(from: item.section.headerBytes)
            let isWhole = payload.withUnsafeBytes { source in
                item.section.form == .zstd
                    ? Self.inflateZstd(source, target)
                    : Self.inflateZlib(source, target, inflater)
            }
            // A partial section could be misread.
            if !isWhole { target.initializeMemory(as: UInt8.self, repeating: 0) }
            payload.forget()
        }
    }

    private static func inflateZlib(
        _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer,
        _ inflater: OpaquePointer?
    ) -> Bool {
        guard let inflater else { return false }
        return epitaph_libdeflate_zlib_decompress(
            inflater, source.baseAddress, source.count, target.baseAddress, target.count, nil)
            == LIBDEFLATE_SUCCESS
    }

    private static func inflateZstd(
        _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let stream = epitaph_zstd_createDStream() else { return false }
        defer { _ = epitaph_zstd_freeDStream(stream) }
        var input = epitaph_zstd_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
        var output = epitaph_zstd_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
        while output.pos < output.size {
            let (read, written) = (input.pos, output.pos)
            let result = epitaph_zstd_decompressStream(stream, &output, &input)
            guard epitaph_zstd_isError(result) == 0, input.pos > read || output.pos > written else {
                return false
            }
        }
        return true
    }
}
