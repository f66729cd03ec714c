// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials

/// A JSON object a command prints. What is not known is left out of it.
protocol PrintedJSON: Encodable {}

extension PrintedJSON {
    /// Lines of the object; nothing in them acts on a terminal.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Strings and numbers alone: there is nothing that cannot be encoded.
        let data = (try? encoder.encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self)
            .printable { $0 == "\n" ? "\n" : escapedJSON($0) }
    }
}

/// RFC 8259, 7: UTF-16 in hexadecimal.
private func escapedJSON(_ scalar: Unicode.Scalar) -> String {
    scalar.utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
}
