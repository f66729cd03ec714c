// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The encoding of an address in `.eh_frame`: DW_EH_PE_*, LSB Core, 10.5.1.
struct PointerEncoding: Equatable {
    let rawValue: UInt8

    /// DW_EH_PE_absptr, the only one of `.debug_frame`.
    static let absolute = PointerEncoding(rawValue: 0)
    private static let omit: UInt8 = 0xff

    /// Nil if omitted, in an unknown encoding, indirect, or relative to anything but itself: no
    /// compiler writes code addresses like that. `address` is that of the cursor's slice.
    func readAddress(
        _ cursor: inout ByteCursor, sliceAddress address: UInt64
    ) throws(TruncatedRead) -> UInt64? {
        let place = address &+ UInt64(cursor.offset)
        guard let value = try readValue(&cursor) else { return nil }
        switch rawValue & 0xf0 {
        case 0x00: return value
        case 0x10: return value &+ place
        default: return nil
        }
    }

    func readValue(_ cursor: inout ByteCursor) throws(TruncatedRead) -> UInt64? {
        guard rawValue != Self.omit else { return nil }
        switch rawValue & 0x0f {
        case 0x00, 0x04, 0x0c: return try cursor.read(UInt64.self)
        case 0x01: return try cursor.readULEB128()
        case 0x02: return UInt64(try cursor.read(UInt16.self))
        case 0x03: return UInt64(try cursor.read(UInt32.self))
        case 0x09: return UInt64(bitPattern: try cursor.readSLEB128())
        case 0x0a: return UInt64(bitPattern: Int64(try cursor.read(Int16.self)))
        case 0x0b: return UInt64(bitPattern: Int64(try cursor.read(Int32.self)))
        default: return nil
        }
    }
}

extension ByteCursor {
    /// A variable-length number, DWARF 5, 7.6. Drops bits beyond the 64th, as other readers do.
    package mutating func readULEB128() throws(TruncatedRead) -> UInt64 {
        try readLEB128().value
    }

    package mutating func readSLEB128() throws(TruncatedRead) -> Int64 {
        let (value, width, isNegative) = try readLEB128()
        return Int64(bitPattern: isNegative && width < 64 ? value | UInt64.max << width : value)
    }

    /// The bits, their count, and the sign bit.
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

    /// A block preceded by its length, such as DW_FORM_exprloc.
    package mutating func readBlock() throws(TruncatedRead) -> ByteSlice {
        try readSlice(count: Int(clamping: try readULEB128()))
    }
}
