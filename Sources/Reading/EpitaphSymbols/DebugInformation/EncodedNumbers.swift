// SPDX-License-Identifier: Apache-2.0

/// Bytes and unsigned LEB128 numbers (DWARF 5, 7.6) of a section, front to back, never past its
/// end. Whenever a file is opened, tables of hundreds of kibibytes are counted with it, for which a
/// `ByteCursor` takes ten times as long.
struct EncodedNumbers {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Nil at the end of the bytes. Of a number with more than 64 bits the lowest 64 are returned.
    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = byte() {
            if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    mutating func skip(_ count: UInt64) {
        offset = count < UInt64(bytes.count - offset) ? offset + Int(count) : bytes.count
    }
}
