// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A program header, `Elf64_Phdr`, elf(5). Addresses are those in the file, without the load bias.
package struct ELFSegment: Sendable, Equatable {
    /// `p_type`: PT_LOAD is 1.
    package let type: UInt32
    /// `p_flags`: PF_X 1, PF_W 2, PF_R 4.
    package let flags: UInt32
    package let fileOffset: UInt64
    /// `p_vaddr`
    package let address: UInt64
    /// Bytes in the file; the rest of `memorySize` is zeros.
    package let fileSize: UInt64
    /// `p_memsz`, in bytes.
    package let memorySize: UInt64

    /// PT_LOAD
    package var isLoadable: Bool { type == 1 }
    package var isExecutable: Bool { flags & 1 != 0 }
    /// PF_W
    package var isWritable: Bool { flags & 2 != 0 }

    static let headerSize = 56

    init(reading cursor: inout ByteCursor) throws(TruncatedRead) {
        type = try cursor.read()
        flags = try cursor.read()
        fileOffset = try cursor.read()
        address = try cursor.read()
        try cursor.skip(8)
        fileSize = try cursor.read()
        memorySize = try cursor.read()
        try cursor.skip(8)
    }

    package func distance(to fileAddress: UInt64) -> UInt64? {
        guard fileAddress >= address, fileAddress - address < fileSize else { return nil }
        return fileAddress - address
    }
}
