// SPDX-License-Identifier: Apache-2.0

/// Values of the standard library's `Codable` types as JSON. Foundation's coders would put several
/// megabytes into each program that is linked statically.
package enum JSONText {
    /// The bytes that Foundation's encoder gives with `sortedKeys` and `withoutEscapingSlashes`.
    ///
    /// - Parameter isPretty: puts each value on a line of its own.
    /// - Throws: what `value` throws, and for a number that is not finite.
    package static func encode(
        _ value: some Encodable, isPretty: Bool = false
    ) throws -> [UInt8] {
        let place = JSONPlace()
        try value.encode(to: place)
        return try place.value.bytes(isPretty: isPretty)
    }

    /// - Throws: `JSONMistake` if `bytes` are no JSON text, `DecodingError` if it is not of this type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        try Value(from: JSONReading(JSONValue(parsing: bytes)))
    }
}
