// SPDX-License-Identifier: Apache-2.0

/// The bytes of a text, eight at a time: a text without escapes need not be looked at byte by byte.
struct EightBytes {
    private var seen: UInt64 = 0
    private var marks: UInt64 = 0

    var areASCII: Bool { seen & Self.every(0x80) == 0 }

    /// Of ASCII, whether one of them needs an escape.
    var haveMark: Bool { marks & Self.every(0x80) != 0 }

    init(of text: UnsafeBufferPointer<UInt8>) {
        let bytes = UnsafeRawBufferPointer(text)
        guard bytes.count >= 8 else {
            add(bytes.reduce(Self.every(0x20)) { $0 << 8 | UInt64($1) })
            return
        }
        for offset in stride(from: 0, to: bytes.count - 8, by: 8) {
            add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        add(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    }

    /// The highest bit of a byte that is below another is set in their difference.
    private mutating func add(_ word: UInt64) {
        seen |= word
        marks |= word &- Self.every(0x20)
        marks |= (word ^ Self.every(UInt64(UInt8(ascii: "\"")))) &- Self.every(1)
        marks |= (word ^ Self.every(UInt64(UInt8(ascii: "\\")))) &- Self.every(1)
        marks |= (word ^ Self.every(0x7f)) &- Self.every(1)
    }

    private static func every(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }
}
