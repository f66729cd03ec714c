// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The first 64 bytes of an ELF file, `Elf64_Ehdr` of elf(5).
struct ELFHeader: Sendable {
    let type: UInt16
    let machine: UInt16
    let entryAddress: UInt64
    let programHeaderOffset: UInt64
    let sectionHeaderOffset: UInt64
    let programHeaderSize: UInt16
    let programHeaderCount: UInt16
    let sectionHeaderSize: UInt16
    let sectionHeaderCount: UInt16
    let sectionNameIndex: UInt16

    init(_ bytes: ByteSlice) throws(ELFError) {
        guard bytes.slice(from: 0, length: 4).array == [0x7f, 0x45, 0x4c, 0x46] else {
            throw .notELF
        }
        // e_ident: class 2 is 64 bits, data 1 is little-endian, version 1 is the only one.
        guard bytes.byte(at: 4) == 2 else { throw .unsupported("not of 64 bits") }
        guard bytes.byte(at: 5) == 1 else { throw .unsupported("not little-endian") }
        guard bytes.byte(at: 6) == 1 else { throw .unsupported("of an unknown version") }
        var cursor = ByteCursor(bytes, offset: 16)
        do {
            type = try cursor.read()
            machine = try cursor.read()
            try cursor.skip(4)
            entryAddress = try cursor.read()
            programHeaderOffset = try cursor.read()
            sectionHeaderOffset = try cursor.read()
            try cursor.skip(6)
            programHeaderSize = try cursor.read()
            programHeaderCount = try cursor.read()
            sectionHeaderSize = try cursor.read()
            sectionHeaderCount = try cursor.read()
            sectionNameIndex = try cursor.read()
        } catch {
            throw .truncated("header", offset: UInt64(error.offset))
        }
    }
}

/// Why bytes are not a usable ELF image.
package enum ELFError: Error, Sendable, Equatable, CustomStringConvertible {
    case notELF
    /// Another word size, byte order or version.
    case unsupported(String)
    /// The file ends inside an indispensable structure.
    case truncated(String, offset: UInt64)

    package var description: String {
        switch self {
        case .notELF: "this is not an ELF file"
        case .unsupported(let what): "this ELF file is \(what), which is not supported"
        case .truncated(let what, let offset):
            "the file ends inside its \(what) at offset \(offset.hex)"
        }
    }
}
