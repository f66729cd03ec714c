// SPDX-License-Identifier: Apache-2.0

import Bytes

/// One program header: a run of the file and the addresses it is loaded at. `Elf64_Phdr`, elf(5).
///
/// Addresses are those written in the file; a process has them moved by its load bias.
public struct ELFSegment: Sendable, Equatable {
    public let type: UInt32
    public let flags: UInt32
    public let fileOffset: UInt64
    public let address: UInt64
    /// Bytes the file has; the rest of `memorySize` is zeros.
    public let fileSize: UInt64
    public let memorySize: UInt64

    /// PT_LOAD
    public var isLoadable: Bool { type == 1 }
    /// PF_X
    public var isExecutable: Bool { flags & 1 != 0 }
    /// PF_W
    public var isWritable: Bool { flags & 2 != 0 }

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

    /// How far `fileAddress` lies inside the bytes the file has for this segment; nil when it does
    /// not.
    func distance(to fileAddress: UInt64) -> UInt64? {
        guard fileAddress >= address, fileAddress - address < fileSize else { return nil }
        return fileAddress - address
    }
}
