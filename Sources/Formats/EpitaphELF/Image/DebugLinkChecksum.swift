// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ByteSlice {
    /// The checksum of a debug file that `.gnu_debuglink` contains: CRC-32 with the reversed
    /// polynomial 0xedb88320, over the whole file. GDB manual, Separate Debug Files.
    package var debugLinkChecksum: UInt32 {
        let step = 1 << 21
        var checksum = UInt32.max
        for offset in stride(from: 0, to: count, by: step) {
            let part = slice(from: offset, length: step)
            checksum = part.withUnsafeBytes { bytes in
                bytes.reduce(checksum) { checksum, byte in
                    checksum >> 8 ^ checksumTable[Int((checksum ^ UInt32(byte)) & 0xff)]
                }
            }
            part.forget()
        }
        return ~checksum
    }
}

private let checksumTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
    }
}
