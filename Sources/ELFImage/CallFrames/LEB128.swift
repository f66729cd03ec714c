// SPDX-License-Identifier: Apache-2.0

import Bytes

extension ByteCursor {
    /// A number of as many bytes as it needs, DWARF 5, 7.6. Bits beyond the 64th are lost, as in
    /// other readers.
    package mutating func readULEB128() throws(TruncatedRead) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try read(UInt8.self)
            if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
            shift += 7
            if byte & 0x80 == 0 { return value }
        }
    }

    /// As above, with a sign.
    package mutating func readSLEB128() throws(TruncatedRead) -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try read(UInt8.self)
            if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            if byte & 0x40 != 0, shift < 64 { value |= UInt64.max << shift }
            return Int64(bitPattern: value)
        }
    }

    /// The bytes of a block that begins with its length, such as DW_FORM_exprloc.
    package mutating func readBlock() throws(TruncatedRead) -> ByteSlice {
        try readSlice(count: Int(clamping: try readULEB128()))
    }
}
