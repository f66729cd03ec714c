// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
    /// `0x1f`
    var hex: String { "0x" + String(self, radix: 16) }

    /// `0x000000000000001f`: the type's full width, so that columns line up.
    var paddedHex: String {
        let digits = String(self, radix: 16)
        let width = Self.bitWidth / 4
        return "0x" + String(repeating: "0", count: Swift.max(width - digits.count, 0)) + digits
    }
}

extension BinaryInteger {
    /// `104,233`: digits in groups of three, whatever the locale.
    package var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

extension Sequence<UInt8> {
    /// Two digits for each byte, without separators, as build ids are written.
    var hexDigits: String { map(\.hexDigits).joined() }

    /// `0f 1e`
    var spacedHexDigits: String { map(\.hexDigits).joined(separator: " ") }
}

extension UInt8 {
    /// `0a`
    var hexDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

/// `1 thread`, `2 threads`, `1,000 threads`
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count.grouped) \(count == 1 ? singular : plural ?? singular + "s")"
}

/// `64 KiB`, `1.5 MiB`
func byteCount(_ count: Int) -> String {
    if count < 1024 { return counted(count, "byte") }
    let kibibytes = Double(count) / 1024
    if kibibytes < 1024 { return "\(short(kibibytes)) KiB" }
    if kibibytes < 1_048_576 { return "\(short(kibibytes / 1024)) MiB" }
    return "\(short(kibibytes / 1_048_576)) GiB"
}

/// One digit behind the point if it is not zero.
private func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 || tenths >= 1000
        ? (tenths / 10).grouped : "\(tenths / 10).\(tenths % 10)"
}
