// SPDX-License-Identifier: Apache-2.0

import Bytes

extension ByteSlice {
    /// The checksum `.gnu_debuglink` has of a debug file: CRC-32 with the reversed polynomial
    /// 0xedb88320, over the whole file. GDB manual, Separate Debug Files.
    public var debugLinkChecksum: UInt32 {
        withUnsafeBytes { bytes in
            ~bytes.reduce(UInt32.max) { checksum, byte in
                checksum >> 8 ^ checksumTable[Int((checksum ^ UInt32(byte)) & 0xff)]
            }
        }
    }
}

private let checksumTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
    }
}
