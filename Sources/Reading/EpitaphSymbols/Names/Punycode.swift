// SPDX-License-Identifier: Apache-2.0

enum Punycode {
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        let delimiter = bytes.lastIndex(of: UInt8(ascii: "_"))
        var scalars = bytes[..<(delimiter ?? bytes.startIndex)].map { Unicode.Scalar($0) }
        var rest = bytes[(delimiter.map { $0 + 1 } ?? bytes.startIndex)...]
        guard !rest.isEmpty else { return nil }
        // RFC 3492, section 5: initial_n 128, initial_bias 72.
        var number = 128
        var position = 0
        var bias = 72
        while !rest.isEmpty {
            guard let distance = takeNumber(&rest, bias: bias) else { return nil }
            let count = scalars.count + 1
            bias = adapted(distance, count: count, isFirst: count == 1 + basicCount(bytes))
            position += distance
            number += position / count
            position %= count
            guard let value = UInt32(exactly: number), let scalar = Unicode.Scalar(value) else {
                return nil
            }
            scalars.insert(scalar, at: position)
            position += 1
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func basicCount(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.lastIndex(of: UInt8(ascii: "_")).map { $0 - bytes.startIndex } ?? 0
    }

    /// Section 6.2: digits of growing weight; one below its threshold is the last.
    private static func takeNumber(_ rest: inout ArraySlice<UInt8>, bias: Int) -> Int? {
        var value = 0
        var weight = 1
        for step in 1...8 {
            guard let byte = rest.popFirst(), let digit = digit(byte) else { return nil }
            value += digit * weight
            guard value < 1 << 32 else { return nil }
            let threshold = min(max(36 * step - bias, 1), 26)
            if digit < threshold { return value }
            weight *= 36 - threshold
            guard weight < 1 << 32 else { return nil }
        }
        return nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    /// Section 6.1: base 36, tmin 1, tmax 26, skew 38, damp 700.
    private static func adapted(_ distance: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? distance / 700 : distance / 2
        delta += delta / count
        var steps = 0
        while delta > 35 * 26 / 2 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
