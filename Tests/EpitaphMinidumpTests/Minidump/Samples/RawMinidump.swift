// SPDX-License-Identifier: Apache-2.0

/// Looks into a minidump's bytes by the offsets of the format, without the code under test.
struct RawMinidump {
    let bytes: [UInt8]

    func u16(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    func u32(_ offset: Int) -> Int { u16(offset) | u16(offset + 2) << 16 }
    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

    func slice(_ offset: Int, _ count: Int) -> [UInt8] { Array(bytes[offset..<offset + count]) }

    /// Type, size and offset of each stream, in directory order.
    var directory: [(type: Int, size: Int, offset: Int)] {
        (0..<u32(8)).map { index in
            let entry = u32(12) + 12 * index
            return (u32(entry), u32(entry + 4), u32(entry + 8))
        }
    }

    /// Offset of the stream of a type; it must be there.
    func offset(_ type: Int) -> Int { directory.first { $0.type == type }?.offset ?? -1 }

    func stream(_ type: Int) -> [UInt8] {
        guard let entry = directory.first(where: { $0.type == type }) else { return [] }
        return slice(entry.offset, entry.size)
    }

    func utf16(_ offset: Int) -> String {
        let units = (0..<u32(offset) / 2).map { UInt16(u16(offset + 4 + 2 * $0)) }
        return String(decoding: units, as: UTF16.self)
    }

    func utf8(_ offset: Int) -> String {
        String(decoding: slice(offset + 4, u32(offset)), as: UTF8.self)
    }

    /// Address, size and offset of each range of the memory list.
    var memory: [(address: UInt64, size: Int, offset: Int)] {
        let list = offset(5)
        return (0..<u32(list)).map { index in
            let entry = list + 4 + 16 * index
            return (u64(entry), u32(entry + 8), u32(entry + 12))
        }
    }
}

/// Bytes written as hexadecimal digits, blanks ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).map { index in
        let start = digits.index(digits.startIndex, offsetBy: index)
        return UInt8(digits[start...].prefix(2), radix: 16) ?? 0
    }
}
