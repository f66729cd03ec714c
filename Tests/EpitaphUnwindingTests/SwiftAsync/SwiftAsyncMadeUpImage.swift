// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// An ELF file of functions that are 64 bytes each, from address 0x1000 on, as the unwind tables
/// tell; with names where they have some. Written from elf(5) and LSB Core, Exception Frames.
struct MadeUpImage {
    struct Function {
        var code: [UInt8]
        var name: String?
    }

    static let codeAddress: UInt64 = 0x1000
    static let functionSize: UInt64 = 64
    static let tableAddress: UInt64 = 0x8000

    var functions: [Function]
    /// `e_machine`; x86_64 by default.
    var machine: UInt16 = 62
    /// Otherwise no section tells that.
    var isSwift = true

    func address(of index: Int) -> UInt64 { Self.codeAddress + UInt64(index) * Self.functionSize }

    var image: ELFImage {
        get throws { try ELFImage(ByteSlice(bytes)) }
    }

    /// File offsets are addresses. Behind the tables: symbols, their names, section names, section
    /// headers.
    private var bytes: [UInt8] {
        var file = ByteBuilder()
        let symbolsAt = Int(Self.tableAddress) + 0x1000
        let stringsAt = symbolsAt + 24 * (functions.count + 1)
        let names = functions.map { $0.name ?? "" }
        let sectionNames = "\0swift5_types\0.symtab\0.strtab\0.shstrtab\0"
        let sectionNamesAt = stringsAt + 1 + names.reduce(0) { $0 + $1.utf8.count + 1 }
        let sectionsAt = sectionNamesAt + sectionNames.utf8.count
        header(&file, sectionsAt: sectionsAt)
        pad(&file, to: Int(Self.codeAddress))
        for function in functions {
            let room = Int(Self.functionSize) - function.code.count
            for byte in function.code + [UInt8](repeating: 0x90, count: room) { file.append(byte) }
        }
        pad(&file, to: Int(Self.tableAddress))
        unwindTables(&file)
        pad(&file, to: symbolsAt)
        symbols(&file, names)
        file.append("\0" + names.map { $0 + "\0" }.joined())
        file.append(sectionNames)
        sections(&file, [symbolsAt, stringsAt, sectionNamesAt, sectionsAt])
        return file.bytes
    }

    private func pad(_ file: inout ByteBuilder, to offset: Int) {
        file.appendZeros(offset - file.count)
    }

    private func header(_ file: inout ByteBuilder, sectionsAt: Int) {
        for byte: UInt8 in [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] { file.append(byte) }
        file.appendZeros(9)
        file.append(UInt16(3))
        file.append(machine)
        file.append(UInt32(1))
        for word in [0, 64, UInt64(sectionsAt)] { file.append(word) }
        file.append(UInt32(0))
        for half: UInt16 in [64, 56, 2, 64, 5, 4] { file.append(half) }
        // PT_LOAD R X of everything up to the symbols, PT_GNU_EH_FRAME.
        let end = Self.tableAddress + 0x1000
        for (type, flags, address, size): (UInt32, UInt32, UInt64, UInt64) in [
            (1, 5, 0, end), (0x6474_e550, 4, Self.tableAddress, 12 + UInt64(functions.count) * 8),
        ] {
            file.append(type)
            file.append(flags)
            for word in [address, address, address, size, size, 8] { file.append(word) }
        }
    }

    /// Search table, then one description of 16 bytes for each function.
    private func unwindTables(_ file: inout ByteBuilder) {
        let table = Int64(Self.tableAddress)
        let descriptions = table + 12 + Int64(functions.count) * 8
        for byte: UInt8 in [1, 0x1b, 0x03, 0x3b] { file.append(byte) }
        file.append(UInt32(0))
        file.append(UInt32(functions.count))
        func signed(_ value: Int64) -> UInt32 { UInt32(bitPattern: Int32(value)) }
        for index in functions.indices {
            file.append(signed(Int64(address(of: index)) - table))
            file.append(signed(descriptions + Int64(index) * 16 - table))
        }
        for index in functions.indices {
            let place = descriptions + Int64(index) * 16 + 8
            file.append(UInt32(12))
            file.append(UInt32(0))
            file.append(signed(Int64(address(of: index)) - place))
            file.append(UInt32(Self.functionSize))
        }
    }

    private func symbols(_ file: inout ByteBuilder, _ names: [String]) {
        file.appendZeros(24)
        var nameOffset = 1
        for (index, name) in names.enumerated() {
            file.append(UInt32(nameOffset))
            // STB_LOCAL, STT_FUNC; one without a name is no function.
            file.append(UInt8(name.isEmpty ? 0 : 2))
            file.append(UInt8(0))
            file.append(UInt16(1))
            file.append(address(of: index))
            file.append(Self.functionSize)
            nameOffset += name.utf8.count + 1
        }
    }

    /// Starts of symbols, strings, section names, and their end.
    private func sections(_ file: inout ByteBuilder, _ starts: [Int]) {
        file.appendZeros(64)
        // Name, type (PROGBITS 1, SYMTAB 2, STRTAB 3), offset, size, link.
        let list: [(UInt32, UInt32, Int, Int, UInt32)] = [
            // "swift5_types", or "types"
            (isSwift ? 1 : 8, 1, Int(Self.codeAddress), 64, 0),
            (14, 2, starts[0], starts[1] - starts[0], 3),
            (22, 3, starts[1], starts[2] - starts[1], 0),
            (30, 3, starts[2], starts[3] - starts[2], 0),
        ]
        for (name, type, offset, size, link) in list {
            file.append(name)
            file.append(type)
            for word in [0, 0, UInt64(offset), UInt64(size)] { file.append(word) }
            file.append(link)
            file.append(UInt32(0))
            for word: UInt64 in [1, 24] { file.append(word) }
        }
    }
}
