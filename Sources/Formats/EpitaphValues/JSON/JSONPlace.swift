// SPDX-License-Identifier: Apache-2.0

/// The place of a value being encoded. Coding paths stay empty: they would cost too much.
final class JSONPlace: Encoder {
    /// The contents; places that were handed out fill in their values later.
    private enum Kind {
        case single, list, object
    }

    private var kind: Kind?
    private var single = JSONValue.null
    private var list: [JSONPlace] = []
    private var members: [String: JSONPlace] = [:]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var value: JSONValue {
        switch kind {
        case .single: single
        case .list: .list(list.map(\.value))
        case .object, nil: .object(members.mapValues(\.value))
        }
    }

    func set(_ value: JSONValue) {
        kind = .single
        single = value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        kind = .object
        return KeyedEncodingContainer(JSONMembers(place: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        kind = .list
        return JSONElements(place: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingle(place: self) }

    fileprivate var elementCount: Int { list.count }

    fileprivate func addElement() -> JSONPlace {
        let place = JSONPlace()
        list.append(place)
        return place
    }

    fileprivate func addMember(_ name: String) -> JSONPlace {
        let place = JSONPlace()
        members[name] = place
        return place
    }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: JSONPlace
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { place.addMember(key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try value.encode(to: place.addMember(key.stringValue))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        place.addMember(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place.addMember(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { place.addMember("super") }
    func superEncoder(forKey key: Key) -> any Encoder { place.addMember(key.stringValue) }
}

private struct JSONElements: UnkeyedEncodingContainer {
    let place: JSONPlace
    var codingPath: [any CodingKey] { [] }
    var count: Int { place.elementCount }

    func encodeNil() { place.addElement().set(.null) }

    func encode(_ value: some Encodable) throws { try value.encode(to: place.addElement()) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        place.addElement().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        place.addElement().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { place.addElement() }
}

/// For the standard library's own types.
private struct JSONSingle: SingleValueEncodingContainer {
    let place: JSONPlace
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { place.set(.null) }
    func encode(_ value: Bool) { place.set(.boolean(value)) }
    func encode(_ value: String) { place.set(.text(value)) }
    func encode(_ value: Double) { place.set(.number(value)) }
    /// By its own digits, which are fewer than those of the equal `Double`.
    func encode(_ value: Float) { place.set(.number(Double(value.description) ?? .nan)) }
    func encode(_ value: some FixedWidthInteger & Encodable) { place.set(JSONValue(value)) }
    func encode(_ value: some Encodable) throws { try value.encode(to: place) }
}
