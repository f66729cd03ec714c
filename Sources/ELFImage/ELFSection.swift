// SPDX-License-Identifier: Apache-2.0

import Bytes

/// One section header, `Elf64_Shdr` of elf(5), with its name.
public struct ELFSection: Sendable, Equatable {
    public internal(set) var name: String
    public let type: UInt32
    public let flags: UInt64
    public let address: UInt64
    public let fileOffset: UInt64
    public let size: UInt64
    public let link: UInt32
    let nameOffset: UInt32
    /// Where the header itself is in the file.
    public let headerOffset: Int

    /// SHT_NOBITS: the section takes no bytes in this file. So it is with all code and data of a
    /// debug file.
    public var isEmptyInFile: Bool { type == 8 }
    /// SHF_COMPRESSED
    public var isCompressed: Bool { flags & 0x800 != 0 }

    /// SHF_EXECINSTR
    public var isExecutable: Bool { flags & 4 != 0 }

    static let headerSize = 64
    /// 65,535 sections may all point to one name: of those that are known none is as long.
    private static let nameLimit = 256

    private init(reading cursor: inout ByteCursor) throws(TruncatedRead) {
        name = ""
        headerOffset = cursor.offset
        nameOffset = try cursor.read()
        type = try cursor.read()
        flags = try cursor.read()
        address = try cursor.read()
        fileOffset = try cursor.read()
        size = try cursor.read()
        link = try cursor.read()
        try cursor.skip(20)
    }

    /// Reads as much of the section header table as the file has. A file may well have none:
    /// nothing needs it to run.
    static func readTable(_ header: ELFHeader, in bytes: ByteSlice) -> [ELFSection] {
        guard header.sectionHeaderSize == headerSize, header.sectionHeaderOffset > 0,
            let offset = Int(exactly: header.sectionHeaderOffset), offset < bytes.count
        else { return [] }
        var cursor = ByteCursor(bytes, offset: offset)
        var sections: [ELFSection] = []
        while sections.count < Int(header.sectionHeaderCount),
            let section = try? ELFSection(reading: &cursor)
        {
            sections.append(section)
        }
        let nameIndex = Int(header.sectionNameIndex)
        guard nameIndex < sections.count else { return sections }
        let names = sections[nameIndex].contents(in: bytes)
        for index in sections.indices {
            sections[index].name =
                names.terminatedText(at: Int(sections[index].nameOffset), limit: nameLimit) ?? ""
        }
        return sections
    }

    /// The section's bytes, cut where the file ends.
    func contents(in bytes: ByteSlice) -> ByteSlice {
        guard !isEmptyInFile, let offset = Int(exactly: fileOffset) else { return .empty }
        return bytes.slice(from: offset, length: Int(clamping: size))
    }
}
