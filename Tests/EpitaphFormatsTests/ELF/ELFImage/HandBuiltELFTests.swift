// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues
import Testing

struct HandBuiltELFTests {
    private let image: ELFImage

    init() throws {
        image = try ELFImage(ByteSlice(HandBuiltELF.bytes))
    }

    @Test("The facts of a hand-built file are found")
    func facts() throws {
        #expect(image.machine == 62)
        #expect(image.type == 3)
        #expect(image.entryAddress == 0x1100)
        #expect(image.buildID == HandBuiltELF.buildID)
        #expect(image.soname == "libhand.so")
        #expect(image.segments.count == 5)
        #expect(image.loadableSegments.map(\.isExecutable) == [true, false])
        #expect(image.lowestAddress() == 0x1000)
        #expect(
            image.sections.map(\.name) == [
                "", ".symtab", ".strtab", ".shstrtab", ".gnu_debuglink", ".text",
            ])
        #expect(image.section(named: ".text")?.isEmptyInFile == true)
        let link = try #require(image.debugLink)
        #expect(link.fileName == "hand.debug")
        #expect(link.checksum == 0x1234_5678)
        #expect(!image.hasDebugInformation)
    }

    @Test("The unwind table's header and entries are located")
    func unwindTable() throws {
        let table = try #require(image.unwindTable)
        #expect(table.headerAddress == 0x11e0)
        #expect(table.entriesAddress == 0x11ec)
        #expect(table.entryCount == 2)
    }

    @Test(
        "Addresses and file offsets are mapped to each other within segments only",
        arguments: [
            (0x1000, 0), (0x12ff, 0x2ff), (0x1300, nil), (0x2300, 0x300), (0x23ff, 0x3ff),
            (0x2400, nil), (0, nil), (.max, nil),
        ] as [(UInt64, UInt64?)])
    func mapping(address: UInt64, offset: UInt64?) {
        #expect(image.fileOffset(ofAddress: address) == offset)
        if let offset { #expect(image.address(ofFileOffset: offset) == address) }
    }

    @Test("Only bytes that cannot have been written to are constant")
    func constantBytes() {
        #expect(image.constantBytes(at: 0x1000, count: 4).array == [0x7f, 0x45, 0x4c, 0x46])
        #expect(image.constantBytes(at: 0x12fe, count: 8).count == 2)
        #expect(image.constantBytes(at: 0x2300, count: 8).isEmpty)
    }

    @Test(
        "A symbol holds the addresses within its size; an inner one goes first",
        arguments: [
            (0x1080, "outer"), (0x10ff, "outer"), (0x1100, "first"), (0x111f, "first"),
            (0x1120, "outer"), (0x1140, "second"), (0x1141, "outer"), (0x1190, "outer"),
            (0x127f, "outer"), (0x1280, nil), (0x107f, nil), (0, nil),
        ] as [(UInt64, String?)])
    func symbols(address: UInt64, name: String?) {
        #expect(ELFSymbolTable(image).symbol(containing: address)?.name == name)
    }

    @Test(
        "What is not 64-bit little-endian ELF is refused with a sentence",
        arguments: [
            ([], "this is not an ELF file"), ([0x7f, 0x45], "this is not an ELF file"),
            ([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1], "not of 64 bits"),
            ([0x7f, 0x45, 0x4c, 0x46, 2, 2, 1], "not little-endian"),
            ([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], "ends inside its header"),
        ] as [([UInt8], String)])
    func refused(bytes: [UInt8], sentence: String) {
        let error = #expect(throws: ELFError.self) { try ELFImage(ByteSlice(bytes)) }
        #expect(error?.description.contains(sentence) == true)
    }
}
