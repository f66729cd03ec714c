// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// By which the dynamic linker finds libraries. gABI, Shared Object Dependencies.
package struct ELFLinkage: Sendable, Equatable {
    /// DT_NEEDED, in order: names, or paths with a slash.
    package let libraries: [String]
    /// DT_RPATH, for this image and those it loads; empty if a DT_RUNPATH overrides it.
    package let inheritedDirectories: [String]
    /// DT_RUNPATH: search directories for this image only.
    package let ownDirectories: [String]

    /// More than any program needs itself; chromium needs 37.
    private static let libraryLimit = 4_096

    init(_ section: ELFDynamicSection) {
        libraries = Array(section.texts(1).filter { !$0.isEmpty }.prefix(Self.libraryLimit))
        let runpath = section.texts(29)
        ownDirectories = Self.directories(runpath)
        inheritedDirectories = runpath.isEmpty ? Self.directories(section.texts(15)) : []
    }

    private static func directories(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ":").map(String.init) }
    }
}

extension ELFImage {
    /// Nil for a statically linked image and for a debug file.
    package var linkage: ELFLinkage? {
        guard hasCode else { return nil }
        return ELFDynamicSection(segments: segments, in: bytes).map(ELFLinkage.init)
    }

    package var hasCode: Bool {
        guard let text = section(named: ".text") else { return true }
        return !text.isEmptyInFile
    }

    /// Whether the file has everything its headers mention: it is not cut or still being copied.
    package var isWhole: Bool {
        guard let header = try? ELFHeader(bytes) else { return false }
        let table = UInt64(header.sectionHeaderCount) * UInt64(header.sectionHeaderSize)
        guard isInside(header.sectionHeaderOffset, table),
            header.sectionHeaderOffset == 0 || sections.count == Int(header.sectionHeaderCount)
        else { return false }
        // A debug file keeps the original's program headers.
        let loaded = hasCode ? loadableSegments : []
        return sections.allSatisfy { $0.isEmptyInFile || isInside($0.fileOffset, $0.size) }
            && loaded.allSatisfy { isInside($0.fileOffset, $0.fileSize) }
    }

    private func isInside(_ offset: UInt64, _ size: UInt64) -> Bool {
        let end = offset.addingReportingOverflow(size)
        return !end.overflow && end.partialValue <= UInt64(bytes.count)
    }
}

extension ByteSlice {
    /// CRC-32, polynomial 0xedb88320 reversed, of the file. GDB manual, Separate Debug Files.
    package var debugLinkChecksum: UInt32 {
        let step = 1 << 21
        var checksum = UInt32.max
        for offset in stride(from: 0, to: count, by: step) {
            let part = slice(from: offset, length: step)
            checksum = part.withUnsafeBytes { bytes in
                bytes.reduce(checksum) { checksum, byte in
                    checksum >> 8 ^ checksumTable[Int((checksum ^ UInt32(byte)) & 0xff)]
                }
            }
            part.forget()
        }
        return ~checksum
    }
}

private let checksumTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
    }
}
