// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A section header, `Elf64_Shdr` of elf(5), with its name.
package struct ELFSection: Sendable, Equatable {
    /// Empty if the section name table ends before.
    package internal(set) var name: String
    /// `sh_type`: 1 PROGBITS, 2 SYMTAB, 8 NOBITS, …
    package let type: UInt32
    /// `sh_flags`: SHF_EXECINSTR is 4, SHF_COMPRESSED 0x800.
    package let flags: UInt64
    package let address: UInt64
    package let fileOffset: UInt64
    /// In bytes; compressed size of a compressed section.
    package let size: UInt64
    /// `sh_link`: for a symbol table, the index of its string table.
    package let link: UInt32
    let nameOffset: UInt32
    /// File offset of the header itself.
    package let headerOffset: Int

    /// SHT_NOBITS, as for all code and data of a debug file.
    package var isEmptyInFile: Bool { type == 8 }
    package var isCompressed: Bool { flags & 0x800 != 0 }

    /// SHF_EXECINSTR
    package var isExecutable: Bool { flags & 4 != 0 }

    static let headerSize = 64
    /// Bounds the work if 65,535 sections share one name; no known section name is this long.
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

    func contents(in bytes: ByteSlice) -> ByteSlice {
        guard !isEmptyInFile, let offset = Int(exactly: fileOffset) else { return .empty }
        return bytes.slice(from: offset, length: Int(clamping: size))
    }
}
