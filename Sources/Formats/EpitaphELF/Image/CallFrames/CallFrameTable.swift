// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

/// The call frame information of an image, by code address as in the file. Searched in this order:
/// the linker's search table for `.eh_frame`; all of `.eh_frame`; `.debug_frame`; and
/// `.debug_frame` of the separate debug file. A whole section is read once, when first needed.
package final class CallFrameTable: Sendable {
    private let searchTable: CallFrameSearchTable?
    private let sections: [CallFrameSection]
    private let indexes: Mutex<[CallFrameIndex]?>

    /// - Parameters:
    ///   - debug: the separate debug file of the same build.
    ///   - inflate: gives a compressed section's bytes.
    package init(
        _ image: ELFImage, debug: ELFImage? = nil,
        inflating inflate: (_ compressed: ByteSlice) -> ByteSlice? = { _ in nil }
    ) {
        searchTable = CallFrameSearchTable(image)
        var sections: [CallFrameSection] = []
        if let section = image.ehFrame { sections.append(section) }
        for file in [image, debug] {
            if let section = file?.debugFrame(inflate) { sections.append(section) }
        }
        self.sections = sections
        indexes = Mutex(nil)
    }

    /// The call frame information of an image without a file. Nil if `header` cannot be searched.
    ///
    /// - Parameters:
    ///   - header: the bytes of `.eh_frame_hdr`, which is at `address` in the file.
    ///   - memory: runs of the image's bytes with their addresses in the file.
    package init?(
        header: ByteSlice, at address: UInt64, memory: [(address: UInt64, bytes: ByteSlice)]
    ) {
        guard let table = UnwindTable(reading: header, at: address) else { return nil }
        let offset = Int(clamping: table.entriesAddress - address)
        searchTable = CallFrameSearchTable(
            table, entries: header.slice(from: offset),
            runs: memory.map {
                CallFrameSection(form: .ehFrame, bytes: $0.bytes, address: $0.address)
            })
        sections = []
        indexes = Mutex(nil)
    }

    /// The `.eh_frame` of an image without a file and without `.eh_frame_hdr`. Nil unless the bytes
    /// are one from its start to its end: each entry is valid, and of code of the image.
    package init?(proving bytes: ByteSlice, at address: UInt64, of image: ELFImage) {
        let section = CallFrameSection(form: .ehFrame, bytes: bytes, address: address)
        let code = image.loadableSegments.filter(\.isExecutable)
        guard section.isWhole(ofCode: code) else { return nil }
        searchTable = nil
        sections = [section]
        indexes = Mutex(nil)
    }

    package init(extract: ByteSlice) {
        searchTable = nil
        sections = [CallFrameSection(form: .ehFrame, bytes: extract, address: 0)]
        indexes = Mutex(nil)
    }

    package func rules(at fileAddress: UInt64) -> CallFrameRules? {
        entry(containing: fileAddress).flatMap { CallFrameProgram.rules($0, at: fileAddress) }
    }

    /// The part of the image's search table that has the entry for `fileAddress`, if there is one.
    package func part(of table: UnwindTable, at fileAddress: UInt64) -> UnwindTable {
        searchTable?.part(of: table, at: fileAddress) ?? table
    }

    /// In address order, with rows. Skips invalid entries; the first for an address is used.
    package func functions() -> some Sequence<[(address: UInt64, rules: CallFrameRules)]> {
        var seen: Set<UInt64> = []
        var found: [(range: Range<UInt64>, section: CallFrameSection, offset: Int)] = []
        for section in sections {
            for (range, offset) in section.functionRanges()
            where range.lowerBound > 0 && seen.insert(range.lowerBound).inserted {
                found.append((range, section, offset))
            }
        }
        found.sort { $0.range.lowerBound < $1.range.lowerBound }
        return found.lazy.compactMap { entry in
            entry.section.functionEntry(at: entry.offset).flatMap(CallFrameProgram.rows)
        }
    }

    func entry(containing fileAddress: UInt64) -> FrameDescription? {
        if let entry = searchTable?.entry(containing: fileAddress) { return entry }
        let indexes = indexes.withLock { known in
            let indexes = known ?? sections.map(CallFrameIndex.init)
            known = indexes
            return indexes
        }
        return indexes.lazy.compactMap { $0.entry(containing: fileAddress) }.first
    }
}

extension ELFImage {
    fileprivate var ehFrame: CallFrameSection? {
        // Its type may also be SHT_X86_64_UNWIND; what matters is that the file has its bytes.
        guard let section = section(named: ".eh_frame"), !section.isEmptyInFile else { return nil }
        return CallFrameSection(
            form: .ehFrame, bytes: contents(of: section), address: section.address)
    }

    fileprivate func debugFrame(_ inflate: (ByteSlice) -> ByteSlice?) -> CallFrameSection? {
        guard let section = section(named: ".debug_frame"), !section.isEmptyInFile else {
            return nil
        }
        let contents = contents(of: section)
        guard let bytes = section.isCompressed ? inflate(contents) : contents else { return nil }
        return CallFrameSection(form: .debugFrame, bytes: bytes, address: section.address)
    }
}
