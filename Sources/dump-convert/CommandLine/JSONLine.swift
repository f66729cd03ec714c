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
        return String(decoding: data, as: UTF8.self).printable { $0.jsonEscaped }
    }
}
