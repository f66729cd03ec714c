// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
    /// `104,233`, whatever the locale.
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

/// `1 thread`, `2 threads`, `1,000 threads`
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count.grouped) \(count == 1 ? singular : plural ?? singular + "s")"
}
