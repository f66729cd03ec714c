// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ByteBuilder {
    /// Elf64_Ehdr of an ET_REL file whose last section has the names.
    package mutating func appendRelocatableHeader(
        machine: UInt16, tableOffset: UInt64, sectionCount: UInt16
    ) {
        // ELFCLASS64, ELFDATA2LSB, EV_CURRENT.
        append([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
        append(UInt16(1), machine, UInt32(1), UInt64(0), UInt64(0), tableOffset, UInt32(0))
        // No program headers.
        append(UInt16(64), UInt16(0), UInt16(0), UInt16(64), sectionCount, sectionCount - 1)
    }

    /// Elf64_Shdr, aligned to 1.
    package mutating func appendSectionHeader(
        nameOffset: UInt32, type: UInt32, flags: UInt64, offset: UInt64, size: UInt64
    ) {
        append(nameOffset, type, flags, UInt64(0), offset, size, UInt64(0), UInt64(1), UInt64(0))
    }
}
