// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension JSONValue {
    /// Nil if the bytes are not a JSON object, or nest deeper than 16 levels.
    static func object(_ bytes: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let fields)? = try? JSONValue(parsing: bytes, depthLimit: 16) else {
            return nil
        }
        return fields
    }

    var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var whole: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// Whole seconds.
    var time: Timestamp? { whole.map { Timestamp(wholeSeconds: $0) } }

    /// Sorted by name, so that equal fields give equal bytes.
    static func bytes(_ fields: [String: JSONValue]) -> [UInt8]? {
        (try? JSONValue.object(fields).bytes()).map { $0 + [0x0a] }
    }
}
