// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// One entry of a PT_NOTE segment, `Elf64_Nhdr` of elf(5).
struct ELFNote {
    let name: ByteSlice
    let type: UInt32
    let contents: ByteSlice

    /// Name and contents are padded to 4 bytes, on 64-bit Linux as well.
    static func read(_ bytes: ByteSlice) -> [ELFNote] {
        var cursor = ByteCursor(bytes.slice(from: 0, length: byteLimit))
        var notes: [ELFNote] = []
        while let note = try? read(&cursor) {
            notes.append(note)
        }
        return notes
    }

    /// Programs have a few hundred bytes of notes; those of core files are not needed here.
    private static let byteLimit = 1 << 16

    private static func read(_ cursor: inout ByteCursor) throws(TruncatedRead) -> ELFNote {
        let nameSize = Int(try cursor.read(UInt32.self))
        let contentsSize = Int(try cursor.read(UInt32.self))
        let type = try cursor.read(UInt32.self)
        let name = try cursor.readSlice(count: nameSize)
        try cursor.skip(min(padding(nameSize), cursor.remainingCount))
        let contents = try cursor.readSlice(count: contentsSize)
        try cursor.skip(min(padding(contentsSize), cursor.remainingCount))
        return ELFNote(name: name, type: type, contents: contents)
    }

    private static func padding(_ size: Int) -> Int { (4 - size % 4) % 4 }
}

extension ELFImage {
    /// NT_GNU_BUILD_ID from the note segments or, in a file without segments, the note sections.
    static func findBuildID(
        segments: [ELFSegment], sections: [ELFSection], in bytes: ByteSlice
    ) -> [UInt8] {
        for segment in segments where segment.type == 4 {
            guard let offset = Int(exactly: segment.fileOffset) else { continue }
            let size = Int(clamping: segment.fileSize)
            let found = buildID(inNotes: bytes.slice(from: offset, length: size))
            if let found { return found }
        }
        for section in sections where section.type == 7 {
            if let found = buildID(inNotes: section.contents(in: bytes)) { return found }
        }
        return []
    }

    private static func buildID(inNotes bytes: ByteSlice) -> [UInt8]? {
        let gnu: [UInt8] = [0x47, 0x4e, 0x55, 0]
        // Longer than any hash in use, so no linker wrote it.
        return ELFNote.read(bytes)
            .first { $0.type == 3 && $0.name.array == gnu && 1...64 ~= $0.contents.count }?
            .contents.array
    }
}
