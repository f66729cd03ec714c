// SPDX-License-Identifier: Apache-2.0

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

/// `1 thread`, `2 threads`, `1,000 threads`
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count.grouped) \(count == 1 ? singular : plural ?? singular + "s")"
}

/// `64 KiB`, `1.5 MiB`
package func byteCount(_ count: Int) -> String {
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
