// SPDX-License-Identifier: Apache-2.0

import Bytes
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
            .printable { $0 == "\n" ? "\n" : $0.jsonEscaped }
    }
}
