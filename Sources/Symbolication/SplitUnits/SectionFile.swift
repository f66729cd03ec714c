// SPDX-License-Identifier: Apache-2.0

import Bytes

/// An ELF file of nothing but named sections, made in memory for libdw, which reads no parts of
/// files. elf(5).
enum SectionFile {
    static func bytes(_ sections: [(name: String, bytes: ByteSlice)], machine: UInt16) -> [UInt8] {
        var names: [UInt8] = [0]
        var nameOffsets: [Int] = []
        for name in sections.map(\.name) + [".shstrtab"] {
            nameOffsets.append(names.count)
            names += Array(name.utf8) + [0]
        }
        let contents = sections.map(\.bytes) + [ByteSlice(names)]
        let headersOffset = 64
        var offset = headersOffset + 64 * (contents.count + 1)
        var file = header(machine: machine, sectionCount: contents.count + 1, at: headersOffset)
        file += [UInt8](repeating: 0, count: 64)
        for (position, bytes) in contents.enumerated() {
            // SHT_PROGBITS 1, SHT_STRTAB 3
            let type: UInt32 = position == contents.count - 1 ? 3 : 1
            file += little(UInt32(truncatingIfNeeded: nameOffsets[position])) + little(type)
            file += little(UInt64(0)) + little(UInt64(0))
            file += little(UInt64(offset)) + little(UInt64(bytes.count))
            file += little(UInt64(0)) + little(UInt64(1)) + little(UInt64(0))
            offset += bytes.count
        }
        for bytes in contents { bytes.withUnsafeBytes { file.append(contentsOf: $0) } }
        return file
    }

    /// Elf64_Ehdr: ELFCLASS64, ELFDATA2LSB, ET_REL.
    private static func header(machine: UInt16, sectionCount: Int, at offset: Int) -> [UInt8] {
        var header: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
        header += little(UInt16(1)) + little(machine) + little(UInt32(1))
        header += little(UInt64(0)) + little(UInt64(0)) + little(UInt64(offset))
        header += little(UInt32(0)) + little(UInt16(64)) + little(UInt16(0)) + little(UInt16(0))
        header += little(UInt16(64)) + little(UInt16(truncatingIfNeeded: sectionCount))
        return header + little(UInt16(truncatingIfNeeded: sectionCount - 1))
    }

    private static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
