// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ByteCursor {
    /// A number of variable length, DWARF 5, 7.6. Bits beyond the 64th are lost, as in other
    /// readers.
    package mutating func readULEB128() throws(TruncatedRead) -> UInt64 {
        try readLEB128().value
    }

    /// The same with a sign.
    package mutating func readSLEB128() throws(TruncatedRead) -> Int64 {
        let (value, width, isNegative) = try readLEB128()
        return Int64(bitPattern: isNegative && width < 64 ? value | UInt64.max << width : value)
    }

    /// The bits, their count, and the sign bit of a signed number.
    private mutating func readLEB128() throws(TruncatedRead) -> (
        value: UInt64, width: UInt64, isNegative: Bool
    ) {
        var value: UInt64 = 0
        var width: UInt64 = 0
        while true {
            let byte = try read(UInt8.self)
            if width < 64 { value |= UInt64(byte & 0x7f) << width }
            width += 7
            if byte & 0x80 == 0 { return (value, width, byte & 0x40 != 0) }
        }
    }

    /// The bytes of a block that begins with its length, such as DW_FORM_exprloc.
    package mutating func readBlock() throws(TruncatedRead) -> ByteSlice {
        try readSlice(count: Int(clamping: try readULEB128()))
    }
}
