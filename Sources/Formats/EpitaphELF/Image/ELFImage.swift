// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

/// A decoded 64-bit little-endian ELF file, or a vdso's memory. See elf(5) and the System V gABI.
/// The bytes may be damaged: a table that does not fit is empty, a range that leaves the file is
/// cut. Addresses are those in the file.
package final class ELFImage: Sendable {
    package let bytes: ByteSlice
    /// `e_machine`, elf.h: 62 for x86_64, 183 for aarch64.
    package let machine: UInt16
    /// `e_type`: 2 for a fixed-address executable, 3 if it can be loaded anywhere.
    package let type: UInt16
    /// `e_entry`; 0 for most libraries.
    package let entryAddress: UInt64
    /// All program headers, in file order.
    package let segments: [ELFSegment]
    package let sections: [ELFSection]
    /// NT_GNU_BUILD_ID; empty if there is none.
    package let buildID: [UInt8]
    package let soname: String?
    private let readSymbols = Mutex<ELFSymbolTable?>(nil)

    /// Throws if the ELF header is invalid or program headers are incomplete.
    package init(_ bytes: ByteSlice) throws(ELFError) {
        let header = try ELFHeader(bytes)
        self.bytes = bytes
        machine = header.machine
        type = header.type
        entryAddress = header.entryAddress
        segments = try Self.readSegments(header, in: bytes)
        sections = ELFSection.readTable(header, in: bytes)
        buildID = Self.findBuildID(segments: segments, sections: sections, in: bytes)
        soname = ELFDynamicSection(segments: segments, in: bytes)?.soname
    }

    /// Read once. What there was no memory for is read again.
    package var symbols: ELFSymbolTable {
        readSymbols.withLock { known in
            if let known { return known }
            let table = ELFSymbolTable(self)
            if !table.isCut { known = table }
            return table
        }
    }

    private static func readSegments(
        _ header: ELFHeader, in bytes: ByteSlice
    ) throws(ELFError) -> [ELFSegment] {
        guard header.programHeaderCount > 0 else { return [] }
        guard Int(header.programHeaderSize) == ELFSegment.headerSize else {
            throw .unsupported("using program headers of \(header.programHeaderSize) bytes")
        }
        guard let offset = Int(exactly: header.programHeaderOffset), offset <= bytes.count else {
            throw .truncated("program headers", offset: header.programHeaderOffset)
        }
        var cursor = ByteCursor(bytes, offset: offset)
        var segments: [ELFSegment] = []
        for _ in 0..<header.programHeaderCount {
            do {
                segments.append(try ELFSegment(reading: &cursor))
            } catch {
                throw .truncated("program headers", offset: UInt64(error.offset))
            }
        }
        return segments
    }

    /// PT_LOAD in file order, which in a sound file is address order: elf(5).
    package var loadableSegments: [ELFSegment] { segments.filter(\.isLoadable) }

    /// Rounded down to `pageSize`. A module's first address minus this is its load bias.
    package func lowestAddress(pageSize: UInt64 = 4096) -> UInt64? {
        loadableSegments.map(\.address).min().map { $0 / pageSize * pageSize }
    }

    package func fileOffset(ofAddress fileAddress: UInt64) -> UInt64? {
        for segment in segments where segment.isLoadable {
            guard let distance = segment.distance(to: fileAddress) else { continue }
            let (offset, overflow) = segment.fileOffset.addingReportingOverflow(distance)
            return overflow || offset >= UInt64(bytes.count) ? nil : offset
        }
        return nil
    }

    package func address(ofFileOffset fileOffset: UInt64) -> UInt64? {
        for segment in segments where segment.isLoadable {
            guard fileOffset >= segment.fileOffset,
                fileOffset - segment.fileOffset < segment.fileSize
            else { continue }
            let distance = fileOffset - segment.fileOffset
            let (address, overflow) = segment.address.addingReportingOverflow(distance)
            return overflow ? nil : address
        }
        return nil
    }

    /// Up to `count` bytes loaded at `fileAddress`; none from writable segments, which may change.
    package func constantBytes(at fileAddress: UInt64, count: Int) -> ByteSlice {
        for segment in segments where segment.isLoadable && !segment.isWritable {
            guard let distance = segment.distance(to: fileAddress) else { continue }
            let (start, overflow) = segment.fileOffset.addingReportingOverflow(distance)
            guard !overflow, let offset = Int(exactly: start) else { return .empty }
            let room = Int(clamping: segment.fileSize - distance)
            return bytes.slice(from: offset, length: min(count, room))
        }
        return .empty
    }

    package func section(named name: String) -> ELFSection? {
        sections.first { $0.name == name }
    }

    package func contents(of section: ELFSection) -> ByteSlice {
        section.contents(in: bytes)
    }

    /// The debug file's name and CRC-32, `.gnu_debuglink`. GDB manual, Separate Debug Files.
    package var debugLink: (fileName: String, checksum: UInt32)? {
        guard let section = section(named: ".gnu_debuglink") else { return nil }
        let contents = contents(of: section)
        guard let name = contents.terminatedText(at: 0), !name.isEmpty, !name.contains("/") else {
            return nil
        }
        var cursor = ByteCursor(contents, offset: (name.utf8.count + 4) / 4 * 4)
        guard let checksum = try? cursor.read(UInt32.self) else { return nil }
        return (name, checksum)
    }

    /// Name and build id, neither empty, of the file made by dwz(1), from `.gnu_debugaltlink`.
    package var alternateLink: (fileName: String, buildID: [UInt8])? {
        guard let section = section(named: ".gnu_debugaltlink") else { return nil }
        // PATH_MAX and the longest build id.
        let parts = contents(of: section).slice(from: 0, length: 4_096 + 64).array
            .split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].count > 1 else { return nil }
        return (String(decoding: parts[0], as: UTF8.self), Array(parts[1]))
    }

    /// PT_INTERP: an executable's dynamic linker; nil if statically linked.
    package var interpreter: String? {
        guard let segment = segments.first(where: { $0.type == 3 }) else { return nil }
        let offset = Int(clamping: segment.fileOffset)
        return bytes.slice(from: offset, length: Int(clamping: segment.fileSize))
            .terminatedText(at: 0)
    }

    package var hasDebugInformation: Bool {
        [".debug_info", ".zdebug_info"].contains { name in
            section(named: name).map { !contents(of: $0).isEmpty } ?? false
        }
    }
}
