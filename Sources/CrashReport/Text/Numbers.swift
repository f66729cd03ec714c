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

extension Sequence<UInt8> {
    /// Two digits a byte, without separators, as build ids are written.
    var hexDigits: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// `1 thread`, `2 threads`
func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(width - count, 0))
    }
}
