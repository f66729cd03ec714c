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
        // Without libdeflate, libelf inflates the sections.
        let canInflate = epitaph_deflate_problem() == nil
        var nameOffsets: [Int] = []
        let inflated = sections.map { canInflate && $0.form != .plain && $0.form != .other }
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
            // Far above the memory limit, yet the sum cannot overflow.
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

    /// Places of uncompressed sections.
    var places: [String: Range<Int>] {
        var places: [String: Range<Int>] = [:]
        for item in items where item.isInflated || item.section.form == .plain {
            let name = item.section.name
            places[name.hasPrefix(".z") ? "." + name.dropFirst(2) : name] = item.place
        }
        return places
    }

    /// - Parameter memory: `sizeBytes` zero bytes.
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
            items.contains(where: \.isInflated) ? epitaph_libdeflate_alloc_decompressor() : nil
        defer { inflater.map { epitaph_libdeflate_free_decompressor($0) } }
        for item in items {
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[item.place])
            guard item.isInflated else {
                item.section.bytes.copy(to: target)
                continue
            }
            guard case .zlib(let headerBytes) = item.section.form, let inflater else { continue }
            let payload = item.section.bytes.slice(from: headerBytes)
            let result = payload.withUnsafeBytes { source in
                epitaph_libdeflate_zlib_decompress(
                    inflater, source.baseAddress, source.count, target.baseAddress, target.count,
                    nil)
            }
            // A partial section could be misread.
            if result != LIBDEFLATE_SUCCESS {
                target.initializeMemory(as: UInt8.self, repeating: 0)
            }
            payload.forget()
        }
    }
}
