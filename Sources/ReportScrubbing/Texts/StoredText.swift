// SPDX-License-Identifier: Apache-2.0

/// A text in the file: a byte count, the bytes, a terminator. MINIDUMP_STRING is UTF-16, Crashpad's
/// MinidumpUTF8String UTF-8.
struct StoredText {
    enum Encoding: Int {
        case utf8 = 1
        case utf16 = 2
    }

    /// All of it, the byte count and the terminator too.
    let range: Range<Int>
    /// The bytes between.
    let text: Range<Int>
    let encoding: Encoding

    /// Nil where none is, or more is announced than the file has.
    init?(at offset: Int, _ encoding: Encoding, in file: MinidumpBytes) {
        guard offset > 0, let size = file.u32(offset),
            UInt64(size) <= UInt64(max(file.count - offset - 4, 0))
        else { return nil }
        let start = offset + 4
        text = start..<start + Int(size)
        range = offset..<min(text.upperBound + encoding.rawValue, file.count)
        self.encoding = encoding
    }
}
