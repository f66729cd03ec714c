// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Finds a function's entry through `.eh_frame_hdr`. LSB Core, 10.6.2.
struct CallFrameSearchTable: Sendable {
    private let headerAddress: UInt64
    /// Function and entry as signed 32-bit offsets from the header.
    private let entries: ByteSlice
    private let count: Int
    /// Memory that may hold entries. An entry and its preceding common part are in the same run.
    private let runs: [CallFrameSection]

    init?(_ image: ELFImage) {
        guard let table = image.unwindTable,
            let offset = image.fileOffset(ofAddress: table.entriesAddress)
                .flatMap({ Int(exactly: $0) })
        else { return nil }
        let runs = image.loadableSegments.compactMap { segment in
            Int(exactly: segment.fileOffset).map { offset in
                CallFrameSection(
                    form: .ehFrame,
                    bytes: image.bytes.slice(
                        from: offset, length: Int(clamping: segment.fileSize)),
                    address: segment.address)
            }
        }
        self.init(table, entries: image.bytes.slice(from: offset), runs: runs)
    }

    /// - Parameters:
    ///   - entries: the bytes from the table's first entry on.
    ///   - runs: bytes with their addresses in the file.
    init?(_ table: UnwindTable, entries: ByteSlice, runs: [CallFrameSection]) {
        guard let count = Int(exactly: table.entryCount), count <= entries.count / 8 else {
            return nil
        }
        headerAddress = table.headerAddress
        self.entries = entries.slice(from: 0, length: count * 8)
        self.count = count
        self.runs = runs
    }

    /// The one entry in which a search for `address` ends.
    func part(of table: UnwindTable, at address: UInt64) -> UnwindTable? {
        lastEntry(atOrBelow: address).map { position in
            UnwindTable(
                headerAddress: table.headerAddress,
                entriesAddress: table.entriesAddress &+ UInt64(position) * 8, entryCount: 1)
        }
    }

    func entry(containing address: UInt64) -> FrameDescription? {
        guard let position = lastEntry(atOrBelow: address) else { return nil }
        let entryAddress = value(at: position * 8 + 4)
        guard let section = section(around: entryAddress),
            let offset = Int(exactly: entryAddress &- section.address),
            let entry = section.functionEntry(at: offset),
            entry.addressRange.contains(address)
        else { return nil }
        return entry
    }

    private func lastEntry(atOrBelow address: UInt64) -> Int? {
        let low = (0..<count).prefixCount { value(at: $0 * 8) <= address }
        return low > 0 ? low - 1 : nil
    }

    private func value(at offset: Int) -> UInt64 {
        let distance = entries.load(at: offset, as: Int32.self) ?? 0
        return headerAddress &+ UInt64(bitPattern: Int64(distance))
    }

    private func section(around address: UInt64) -> CallFrameSection? {
        runs.first { $0.address <= address && address - $0.address < UInt64($0.bytes.count) }
    }
}

/// A section's functions by address, for images without a search table.
struct CallFrameIndex: Sendable {
    private struct Entry {
        let start: UInt64
        let end: UInt64
        let offset: Int
    }

    /// How many overlapping entries to search back; only a damaged file has any.
    private static let overlapLimit = 8

    private let section: CallFrameSection
    private let entries: [Entry]

    init(_ section: CallFrameSection) {
        self.section = section
        // The linker leaves dropped functions at address 0.
        entries = section.functionRanges()
            .filter { !$0.range.isEmpty && $0.range.lowerBound > 0 }
            .map { Entry(start: $0.range.lowerBound, end: $0.range.upperBound, offset: $0.offset) }
            .sorted { $0.start < $1.start }
    }

    func entry(containing address: UInt64) -> FrameDescription? {
        let low = entries.prefixCount { $0.start <= address }
        let candidates = entries[max(0, low - Self.overlapLimit)..<low]
        guard let entry = candidates.last(where: { address < $0.end }) else { return nil }
        return section.functionEntry(at: entry.offset)
    }
}
