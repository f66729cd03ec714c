// SPDX-License-Identifier: Apache-2.0

// Text out of a dump or off the network, made safe to print. Printed as it is it could move the
// cursor, rewrite the terminal's title or reorder the line.

extension String {
    /// The text with everything that is not a visible character or a plain blank replaced: control,
    /// format (bidirectional overrides among them), unassigned and private-use characters and line
    /// breaks.
    ///
    /// - Parameters:
    ///   - others: characters that are to be replaced too.
    ///   - replacement: what stands for a scalar; `Unicode.Scalar.escaped` unless given.
    public func printable(
        replacing others: Set<Unicode.Scalar> = [],
        with replacement: (Unicode.Scalar) -> String = { $0.escaped }
    ) -> String {
        // Most text needs nothing done.
        guard !unicodeScalars.allSatisfy({ $0.isPrintable && !others.contains($0) }) else {
            return self
        }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable, !others.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += replacement(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }

    /// `\n`, `\t`, `\r`, `\"`, `\\` or `\u{…}`.
    public var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case "\"", "\\": "\\\(self)"
        default: "\\u{\(String(value, radix: 16))}"
        }
    }
}
