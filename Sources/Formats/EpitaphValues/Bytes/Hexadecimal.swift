// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
    package var hex: String { "0x" + String(self, radix: 16) }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// `0x000000000000001f`: the type's full width, for columns.
    package var paddedHex: String {
        "0x" + String(self, radix: 16).zeroPadded(to: Self.bitWidth / 4)
    }
}

extension FixedWidthInteger {
    /// The type's full width, lowest byte first.
    package var littleEndianBytes: [UInt8] {
        Swift.withUnsafeBytes(of: littleEndian) { Array($0) }
    }
}

extension UInt8 {
    /// `0a`
    package var hexDigits: String { CollectionOfOne(self).hexDigits }

    package var hexDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") - 10 + self
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits per byte, as build ids are written.
    package var hexDigits: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append((byte >> 4).hexDigit)
            digits.append((byte & 15).hexDigit)
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// `0f 1e`
    package var spacedHexDigits: String {
        map(\.hexDigits).joined(separator: " ")
    }
}

extension BidirectionalCollection<UInt8> {
    /// Up to eight bytes as a number, lowest first.
    @inlinable
    package var littleEndian: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

extension Collection<UInt8> {
    /// `ab/cdef…`, as below `.build-id`, without a suffix; nil for an id of fewer than two bytes.
    package var buildIDPath: String? {
        guard count > 1 else { return nil }
        return "\(prefix(1).hexDigits)/\(dropFirst().hexDigits)"
    }
}

extension Collection<UInt8> {
    package var base64: String {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        var rest = self[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place > group.count
                        ? UInt8(ascii: "=") : letters[bits >> (18 - 6 * place) & 63])
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
