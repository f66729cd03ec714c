// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An ELF file written from elf(5), byte by byte: 1,160 bytes of which all offsets are known.
///
///     0    header               64   5 program headers
///     360  note (40 bytes)      400  dynamic section (64)
///     464  dynamic strings      480  .eh_frame_hdr (12 + 2 × 8)
///     520  symbols (5 × 24)     640  symbol names
///     680  section names        760  .gnu_debuglink (16)
///     776  section headers (6 × 64, to 1,160)
enum HandBuiltELF {
    static let codeAddress: UInt64 = 0x1000
    static let buildID: [UInt8] = [0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4]

    static var bytes: [UInt8] {
        var file = ByteBuilder()
        header(&file)
        programHeaders(&file)
        pad(&file, to: 360)
        note(&file)
        pad(&file, to: 400)
        // DT_STRTAB 5, DT_SONAME 14, DT_NULL
        for word: UInt64 in [5, 0x1000 + 464, 14, 1, 0, 0, 0, 0] { file.append(word) }
        file.append("\0libhand.so\0")
        pad(&file, to: 480)
        // Version 1, pcrel sdata4, udata4, datarel sdata4; frame pointer; two entries.
        for byte: UInt8 in [1, 0x1b, 0x03, 0x3b] { file.append(byte) }
        for word: UInt32 in [0, 2, 0x100, 0x40, 0x200, 0x60] { file.append(word) }
        pad(&file, to: 520)
        symbols(&file)
        file.append("\0first\0second\0outer\0")
        pad(&file, to: 680)
        file.append("\0.symtab\0.strtab\0.shstrtab\0.gnu_debuglink\0.text\0")
        pad(&file, to: 760)
        file.append("hand.debug\0\0")
        file.append(UInt32(0x1234_5678))
        sectionHeaders(&file)
        return file.bytes
    }

    private static func pad(_ file: inout ByteBuilder, to offset: Int) {
        file.appendZeros(offset - file.count)
    }

    private static func header(_ file: inout ByteBuilder) {
        for byte: UInt8 in [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] { file.append(byte) }
        file.appendZeros(9)
        file.append(UInt16(3))
        file.append(UInt16(62))
        file.append(UInt32(1))
        for word: UInt64 in [0x1100, 64, 776] { file.append(word) }
        file.append(UInt32(0))
        for half: UInt16 in [64, 56, 5, 64, 6, 3] { file.append(half) }
    }

    private static func programHeaders(_ file: inout ByteBuilder) {
        // PT_LOAD R X, PT_LOAD RW, PT_NOTE, PT_DYNAMIC, PT_GNU_EH_FRAME: type, flags, offset,
        // address, size, in memory.
        let segments: [(UInt32, UInt32, UInt64, UInt64, UInt64, UInt64)] = [
            (1, 5, 0, 0x1000, 0x300, 0x300), (1, 6, 0x300, 0x2300, 0x100, 0x900),
            (4, 4, 360, 0x1168, 40, 40), (2, 6, 400, 0x1190, 64, 64),
            (0x6474_e550, 4, 480, 0x11e0, 28, 28),
        ]
        for (type, flags, offset, address, size, memorySize) in segments {
            file.append(type)
            file.append(flags)
            for word in [offset, address, address, size, memorySize, 8] { file.append(word) }
        }
    }

    private static func note(_ file: inout ByteBuilder) {
        // Another note, without contents, first.
        for word: UInt32 in [4, 0, 1] { file.append(word) }
        file.append("GNU\0")
        for word: UInt32 in [4, 8, 3] { file.append(word) }
        file.append("GNU\0")
        for byte in buildID { file.append(byte) }
    }

    private static func symbols(_ file: inout ByteBuilder) {
        let symbols: [(name: UInt32, info: UInt8, section: UInt16, value: UInt64, size: UInt64)] = [
            (0, 0, 0, 0, 0), (1, 0x12, 5, 0x1100, 0x20), (7, 0x02, 5, 0x1140, 0),
            (14, 0x12, 5, 0x1080, 0x200), (1, 0x12, 0, 0x1180, 0x20),
        ]
        for symbol in symbols {
            file.append(symbol.name)
            file.append(symbol.info)
            file.append(UInt8(0))
            file.append(symbol.section)
            file.append(symbol.value)
            file.append(symbol.size)
        }
    }

    private static func sectionHeaders(_ file: inout ByteBuilder) {
        // name, type, address, offset, size, link
        let sections: [(UInt32, UInt32, UInt64, UInt64, UInt64, UInt32)] = [
            (0, 0, 0, 0, 0, 0), (1, 2, 0, 520, 120, 2), (9, 3, 0, 640, 20, 0),
            (17, 3, 0, 680, 50, 0), (27, 1, 0, 760, 16, 0), (42, 8, 0x1100, 0x100, 0x100, 0),
        ]
        for (name, type, address, offset, size, link) in sections {
            file.append(name)
            file.append(type)
            for word: UInt64 in [0, address, offset, size] { file.append(word) }
            file.append(link)
            file.append(UInt32(0))
            for word: UInt64 in [1, 0] { file.append(word) }
        }
    }
}
