// SPDX-License-Identifier: Apache-2.0

/// `Codable` values as JSON. Foundation's coders would add megabytes to static programs.
package enum JSONText {
    /// The same bytes as Foundation's encoder with `sortedKeys` and `withoutEscapingSlashes`.
    /// Throws what `value` throws, and for a number that is not finite.
    package static func encode(
        _ value: some Encodable, isPretty: Bool = false
    ) throws -> [UInt8] {
        let place = JSONPlace()
        try value.encode(to: place)
        return try place.value.bytes(isPretty: isPretty)
    }

    /// - Throws: `JSONMistake` if this is not JSON, `DecodingError` if it is not of this type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        try Value(from: JSONReading(JSONValue(parsing: bytes)))
    }
}
