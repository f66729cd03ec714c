// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An ELF file of type ET_REL that consists of sections alone: elf(5).
struct PackageLayout {
    private let sections: [(name: String, contents: ByteBuilder)]
    private let machine: UInt16

    private static let headerBytes = 64
    /// SHT_STRTAB
    private static let stringTable: UInt32 = 3
    private static let sectionHeaderBytes = 64
    /// SHF_EXCLUDE: not for the program that is linked.
    private static let flags: UInt64 = 0x8000_0000

    init(_ sections: [(name: String, contents: ByteBuilder)], machine: UInt16) {
        self.sections = sections
        self.machine = machine
    }

    /// Writes the file from its beginning to its end.
    func write<Sink: ByteSink>(to sink: inout Sink) throws(Sink.Failure) {
        var names = ByteBuilder()
        names.append(UInt8(0))
        var table = ByteBuilder()
        table.appendZeros(Self.sectionHeaderBytes)
        var offset = Self.headerBytes
        func add(_ name: String, _ count: Int, type: UInt32, flags: UInt64) {
            table.append(UInt32(names.count))
            names.append(name + "\0")
            table.append(type)
            table.append(flags)
            table.append(UInt64(0))
            table.append(UInt64(offset))
            // The section of names contains its own.
            table.append(UInt64(type == Self.stringTable ? names.count : count))
            // sh_link and sh_info, then the alignment and the size of an entry.
            table.append(UInt64(0))
            table.append(UInt64(1))
            table.append(UInt64(0))
            offset += type == Self.stringTable ? names.count : count
        }
        for (name, contents) in sections {
            add(name, contents.count, type: 1, flags: Self.flags)
        }
        add(".shstrtab", 0, type: Self.stringTable, flags: 0)
        let padding = (8 - offset % 8) % 8
        try sink.append(header(tableOffset: UInt64(offset + padding)).bytes)
        for (_, contents) in sections { try sink.append(contents.bytes) }
        try sink.append(names.bytes + [UInt8](repeating: 0, count: padding))
        try sink.append(table.bytes)
    }

    private func header(tableOffset: UInt64) -> ByteBuilder {
        var header = ByteBuilder()
        // 64 bits, little-endian, version 1.
        header.append([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
        header.appendZeros(9)
        header.append(UInt16(1))
        header.append(machine)
        header.append(UInt32(1))
        header.append(UInt64(0))
        header.append(UInt64(0))
        header.append(tableOffset)
        header.append(UInt32(0))
        header.append(UInt16(Self.headerBytes))
        // No program headers.
        header.append(UInt16(0))
        header.append(UInt16(0))
        header.append(UInt16(Self.sectionHeaderBytes))
        header.append(UInt16(sections.count + 2))
        header.append(UInt16(sections.count + 1))
        return header
    }
}
