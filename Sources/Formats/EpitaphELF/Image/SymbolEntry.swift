// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Elf64_Sym: gABI, Symbol Table.
struct SymbolEntry {
    let nameOffset: UInt32
    /// STT_NOTYPE 0, STT_FUNC 2, STT_GNU_IFUNC 10
    let type: UInt8
    /// STB_LOCAL 0, STB_GLOBAL 1, STB_WEAK 2
    let binding: UInt8
    /// SHN_UNDEF 0 is another image's symbol.
    let section: Int
    let address: UInt64
    let size: UInt64

    private static let byteCount = 24

    // name 4, info 1, other 1, section 2, value 8, size 8
    private init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        nameOffset = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        type = bytes[offset + 4] & 15
        binding = bytes[offset + 4] >> 4
        section = Int(bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self))
        address = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        size = bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)
    }

    static func forEach(in table: ByteSlice, _ body: (SymbolEntry) -> Void) {
        table.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - (byteCount - 1), by: byteCount) {
                body(SymbolEntry(bytes, at: offset))
            }
        }
    }
}
