// SPDX-License-Identifier: Apache-2.0

/// Decodes from a value. Coding paths stay empty, as in `JSONPlace`.
struct JSONReading: Decoder {
    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(JSONMemberReading(members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let elements) = value else { throw mismatch([JSONValue].self) }
        return JSONElementReading(elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: [], debugDescription: "the JSON value has another type")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension JSONReading: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .boolean(let boolean) = value else { throw mismatch(type) }
        return boolean
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .text(let text) = value else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .integer(let integer): return Double(integer)
        case .unsigned(let integer): return Double(integer)
        case .number(let number): return number
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float {
        let number = Float(try decode(Double.self))
        guard number.isFinite else { throw mismatch(type) }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
        let exact: Integer? =
            switch value {
            case .integer(let integer): Integer(exactly: integer)
            case .unsigned(let integer): Integer(exactly: integer)
            // Minus zero.
            case .number(0): 0
            default: nil
            }
        guard let exact else { throw mismatch(Integer.self) }
        return exact
    }
}

private struct JSONMemberReading<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try reading(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: reading(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try reading(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try reading(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { JSONReading(members["super"] ?? .null) }
    func superDecoder(forKey key: Key) -> any Decoder {
        JSONReading(members[key.stringValue] ?? .null)
    }

    private func reading(_ key: Key) throws -> JSONReading {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: [], debugDescription: "there is no \(key.stringValue)"))
        }
        return JSONReading(value)
    }
}

/// Does not advance past an element that cannot be decoded.
private struct JSONElementReading: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    private(set) var currentIndex = 0

    init(elements: [JSONValue]) {
        self.elements = elements
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNil = try reading().decodeNil()
        if isNil { currentIndex += 1 }
        return isNil
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try take { try Value(from: $0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }

    private mutating func take<Value>(_ body: (JSONReading) throws -> Value) throws -> Value {
        let value = try body(reading())
        currentIndex += 1
        return value
    }

    private func reading() throws -> JSONReading {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: [], debugDescription: "the array has no more elements"))
        }
        return JSONReading(elements[currentIndex])
    }
}
