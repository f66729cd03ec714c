// SPDX-License-Identifier: Apache-2.0

// Byte for byte. The search of Swift's _StringProcessing compares characters, and adds the
// machinery of regular expressions, 1.2 MB, to a static daemon.

extension UnsafeBufferPointer<UInt8> {
    package func firstOffset(of part: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = part.first else { return 0 }
        let bytes = UnsafeRawBufferPointer(self)
        let repeated = UInt64(first) &* 0x0101_0101_0101_0101
        var offset = 0
        while offset <= count - part.count {
            // Eight bytes without the first one are passed together.
            if offset <= count - 8 {
                let others = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ repeated
                if (others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080 == 0 {
                    offset += 8
                    continue
                }
            }
            if self[offset] == first {
                var same = 1
                while same < part.count, self[offset + same] == part[same] { same += 1 }
                if same == part.count { return offset }
            }
            offset += 1
        }
        return nil
    }
}

extension Substring {
    package func firstPlace(of part: String) -> Range<Index>? {
        var text = self
        var part = part
        let offset = text.withUTF8 { bytes in part.withUTF8 { bytes.firstOffset(of: $0) } }
        return offset.map {
            let start = utf8.index(startIndex, offsetBy: $0)
            return start..<utf8.index(start, offsetBy: part.utf8.count)
        }
    }
}

extension String {
    package func firstPlace(of part: String) -> Range<Index>? { self[...].firstPlace(of: part) }

    package func has(_ part: String) -> Bool { firstPlace(of: part) != nil }

    package func replacingEach(_ part: String, with replacement: String) -> String {
        var result = ""
        var rest = self[...]
        while let place = rest.firstPlace(of: part) {
            result += rest[..<place.lowerBound] + replacement
            rest = rest[place.upperBound...]
        }
        return result + rest
    }
}

extension Substring {
    package func has(_ part: String) -> Bool { firstPlace(of: part) != nil }
}

extension UInt8 {
    package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    package var isLowerHexDigit: Bool { isDigit || self >= 0x61 && self <= 0x66 }

    /// The value of a digit in ASCII, of a base up to 16 and in either case; nil for other bytes.
    @inlinable
    package var digitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
