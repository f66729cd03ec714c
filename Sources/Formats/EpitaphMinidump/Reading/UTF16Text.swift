// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Little-endian UTF-16, as in Microsoft's formats.
enum UTF16Text {
    /// Drops an odd last byte; invalid UTF-16 becomes U+FFFD.
    static func whole(_ bytes: ByteSlice) -> String {
        bytes.withUnsafeBytes(ascii) ?? String(decoding: units(bytes), as: UTF16.self)
    }

    /// Nil for other text, whose decoding takes much longer.
    private static func ascii(_ bytes: UnsafeRawBufferPointer) -> String? {
        let count = bytes.count / 2
        guard (0..<count).allSatisfy({ bytes[2 * $0] < 0x80 && bytes[2 * $0 + 1] == 0 }) else {
            return nil
        }
        return String(unsafeUninitializedCapacity: count) { text in
            for index in 0..<count { text[index] = bytes[2 * index] }
            return count
        }
    }

    static func untilZero(_ bytes: ByteSlice) -> String {
        String(decoding: units(bytes).prefix { $0 != 0 }, as: UTF16.self)
    }

    static func units(_ bytes: ByteSlice) -> [UInt16] {
        bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map { UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8 }
        }
    }
}
