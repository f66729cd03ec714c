// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials

/// One object on one line, for output that comes as things happen.
enum JSONLine {
    /// Nothing in it acts on a terminal.
    static func text(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and truths alone: there is nothing that cannot be encoded.
        let data = (try? encoder.encode(value)) ?? Data()
        return String(decoding: data, as: UTF8.self).printable { scalar in
            // RFC 8259, 7: UTF-16 in hexadecimal.
            scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}
