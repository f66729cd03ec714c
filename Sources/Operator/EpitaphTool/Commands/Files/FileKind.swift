// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Guesses the kind of an unexpected file from its first bytes.
enum FileKind {
    private static let shownByteCount = 8
    private static let shownCharacterCount = 40

    /// Magic numbers: file(1), magic(5).
    private static let marks: [(bytes: [UInt8], words: String)] = [
        (Array("MDMP".utf8), "a minidump"),
        (Array("PMDM".utf8), "a minidump of a big-endian processor"),
        ([0x06], "an intermediate dump"),
        (Array("PAGEDUMP".utf8), "a kernel dump of Windows"),
        (Array("PAGEDU64".utf8), "a kernel dump of Windows"),
        ([0x1f, 0x8b], "compressed by gzip; decompress it first"),
        ([0x28, 0xb5, 0x2f, 0xfd], "compressed by zstd; decompress it first"),
        ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "compressed by xz; decompress it first"),
        (Array("BZh".utf8), "compressed by bzip2; decompress it first"),
        (Array("PK\u{3}\u{4}".utf8), "a ZIP archive; unpack it first"),
    ]

    /// Bytes needed from the beginning of a file.
    static let neededByteCount = 4_096

    /// Continues "it is ".
    ///
    /// - Parameter byteCount: size of the whole file, if `bytes` is only its beginning.
    static func words(_ bytes: ByteSlice, byteCount: Int? = nil) -> String {
        guard !bytes.isEmpty else { return "empty" }
        let byteCount = byteCount ?? bytes.count
        let start = bytes.slice(from: 0, length: neededByteCount).array
        if let elf = elfWords(start) { return elf }
        if let mark = marks.first(where: { start.starts(with: $0.bytes) }) { return mark.words }
        if start.allSatisfy({ $0 == 0 }) {
            return
                "\(byteCount) bytes that begin with zeros: a full disk or a power failure leaves "
                + "such files"
        }
        if let text = textWords(start) { return text }
        let shown = start.prefix(shownByteCount).spacedHexDigits
        return "\(byteCount) bytes that begin with \(shown)"
    }

    /// e_ident and e_type, elf(5).
    private static func elfWords(_ start: [UInt8]) -> String? {
        guard start.starts(with: [0x7f, 0x45, 0x4c, 0x46]), start.count > 17 else { return nil }
        let isBigEndian = start[5] == 2
        let type = start[isBigEndian ? 17 : 16]
        return type == 4
            ? "a core dump of the kernel"
            : "an ELF file, a program or a library"
    }

    private static func textWords(_ start: [UInt8]) -> String? {
        // The bytes may end inside a character.
        let text = String(decoding: start, as: UTF8.self)
        let isText = text.unicodeScalars.dropLast(4).allSatisfy { scalar in
            scalar != "\u{fffd}"
                && (scalar.value >= 0x20 || "\t\r\n".unicodeScalars.contains(scalar))
        }
        guard isText, !text.unicodeScalars.contains("\0") else { return nil }
        let line = text.split(whereSeparator: \.isNewline).first ?? ""
        let shown = TerminalText.line(String(line.prefix(shownCharacterCount)))
        return "text that begins with \"\(shown)\(line.count > shownCharacterCount ? "…" : "")\""
    }
}
