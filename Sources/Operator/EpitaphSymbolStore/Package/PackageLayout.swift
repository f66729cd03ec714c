// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphValues

/// An ET_REL file of sections only: elf(5).
struct PackageLayout {
    private let sections: [(name: String, contents: ByteBuilder)]
    private let machine: UInt16

    private static let headerBytes = 64
    /// SHT_STRTAB
    private static let stringTable: UInt32 = 3
    private static let sectionHeaderBytes = 64
    /// SHF_EXCLUDE: not for the linked program.
    private static let flags: UInt64 = 0x8000_0000

    init(_ sections: [(name: String, contents: ByteBuilder)], machine: UInt16) {
        self.sections = sections
        self.machine = machine
    }

    func write<Sink: ByteSink>(to sink: inout Sink) throws(Sink.Failure) {
        var names = ByteBuilder()
        names.append(UInt8(0))
        var table = ByteBuilder()
        table.appendZeros(Self.sectionHeaderBytes)
        var offset = Self.headerBytes
        func add(_ name: String, _ count: Int, type: UInt32, flags: UInt64) {
            let nameOffset = UInt32(names.count)
            names.append(name + "\0")
            // The section of names contains its own.
            table.appendSectionHeader(
                nameOffset: nameOffset, type: type, flags: flags, offset: UInt64(offset),
                size: UInt64(type == Self.stringTable ? names.count : count))
            offset += type == Self.stringTable ? names.count : count
        }
        for (name, contents) in sections {
            add(name, contents.count, type: 1, flags: Self.flags)
        }
        add(".shstrtab", 0, type: Self.stringTable, flags: 0)
        let padding = (8 - offset % 8) % 8
        var header = ByteBuilder()
        header.appendRelocatableHeader(
            machine: machine, tableOffset: UInt64(offset + padding),
            sectionCount: UInt16(sections.count + 2))
        try sink.append(header.bytes)
        for (_, contents) in sections { try sink.append(contents.bytes) }
        try sink.append(names.bytes + [UInt8](repeating: 0, count: padding))
        try sink.append(table.bytes)
    }
}
