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

extension String {
    /// `007`: with zeros in front, at least as long as `width`.
    package func zeroPadded(to width: Int) -> String {
        String(repeating: "0", count: max(width - count, 0)) + self
    }
}

extension Range<UInt64> {
    /// Nil if it leaves the address space.
    @inlinable
    package init?(at start: UInt64, count: UInt64) {
        let (end, overflow) = start.addingReportingOverflow(count)
        guard !overflow else { return nil }
        self = start..<end
    }
}

extension FixedWidthInteger {
    /// The largest number instead of a sum that is larger.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The largest number instead of a product that is larger.
    @inlinable
    package func multipliedClamped(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
