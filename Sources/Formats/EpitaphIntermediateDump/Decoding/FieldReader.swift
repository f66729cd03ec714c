// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Reads typed values from maps and records omissions.
struct FieldReader {
    private(set) var damage: [Damage] = []
    private var unlistedCount = 0

    /// Limit on damage entries, against hostile dumps; the rest are counted.
    static let damageLimit = 200
    /// Limit on elements of an array: far above the default limits on threads and mappings.
    static let elementLimit = 65_536
    /// The end of the year 9999. Date arithmetic overflows with later times.
    private static let timeLimitSeconds: Int64 = 253_402_300_799

    mutating func note(_ subject: String, _ reason: String) {
        guard damage.count < Self.damageLimit else {
            unlistedCount += 1
            return
        }
        damage.append(Damage(stage: .reading, subject: subject, reason: reason))
    }

    mutating func note(_ key: DumpKey, in map: DumpMap, _ reason: String) {
        note(place(of: key, in: map), reason)
    }

    var allDamage: [Damage] {
        guard unlistedCount > 0 else { return damage }
        let rest = Damage(
            stage: .reading, subject: "dump", reason: "\(unlistedCount) more errors are not listed")
        return damage + [rest]
    }

    /// A payload of exactly `count` bytes; another length is recorded. Nil if there is none.
    mutating func payload(_ key: DumpKey, in map: DumpMap, count: Int) -> ByteSlice? {
        guard let property = property(key, in: map) else { return nil }
        let subject = "offset \(property.offset.hex)"
        guard !property.isCut else {
            note(subject, "\(key.label) was left out because it is cut")
            return nil
        }
        guard property.payload.count == count else {
            let size = "\(property.payload.count) bytes instead of \(count)"
            note(subject, "\(key.label) has \(size) and was left out")
            return nil
        }
        return property.payload
    }

    mutating func integer<Value: FixedWidthInteger>(
        _ key: DumpKey, in map: DumpMap, as type: Value.Type = Value.self
    ) -> Value? {
        payload(key, in: map, count: MemoryLayout<Value>.size)?.load(at: 0)
    }

    mutating func flag(_ key: DumpKey, in map: DumpMap) -> Bool {
        (integer(key, in: map, as: UInt8.self) ?? 0) != 0
    }

    /// `usual` if there is no value or an unknown one, to which `words` give its meaning.
    mutating func value<Value: RawRepresentable<UInt8>>(
        _ key: DumpKey, in map: DumpMap, or usual: Value, takenAs words: String
    ) -> Value {
        guard let number = integer(key, in: map, as: UInt8.self) else { return usual }
        guard let value = Value(rawValue: number) else {
            note(key, in: map, "\(key.label) \(number) is not known; taken as \(words)")
            return usual
        }
        return value
    }

    mutating func bytes(_ key: DumpKey, in map: DumpMap) -> ByteSlice? {
        property(key, in: map)?.payload
    }

    mutating func text(_ key: DumpKey, in map: DumpMap) -> String? {
        bytes(key, in: map)?.text
    }

    mutating func uuid(_ key: DumpKey, in map: DumpMap) -> Epitaph.ID? {
        guard let payload = payload(key, in: map, count: 16) else { return nil }
        return Epitaph.ID(bytes: payload.array)
    }

    mutating func seconds(_ key: DumpKey, in map: DumpMap) -> Double? {
        guard let payload = payload(key, in: map, count: 16) else { return nil }
        var cursor = ByteCursor(payload)
        guard let seconds = try? cursor.read(Int64.self),
            let microseconds = try? cursor.read(Int64.self),
            (0...Self.timeLimitSeconds).contains(seconds),
            (0..<1_000_000).contains(microseconds)
        else {
            note(key, in: map, "\(key.label) is no time and was left out")
            return nil
        }
        return Double(seconds) + Double(microseconds) / 1_000_000
    }

    mutating func date(_ key: DumpKey, in map: DumpMap) -> Timestamp? {
        seconds(key, in: map).map { Timestamp(secondsSince1970: $0) }
    }

    mutating func map(_ key: DumpKey, in map: DumpMap) -> DumpMap? {
        if let inner = map.map(key) { return inner }
        if map.contains(key) {
            note(key, in: map, "\(key.label) is no map here and was left out")
        }
        return nil
    }

    mutating func elements<Value>(
        _ key: DumpKey, in map: DumpMap, _ decode: (DumpMap, inout FieldReader) -> Value?
    ) -> [Value] {
        if map.contains(key), !map.hasArray(key) {
            note(key, in: map, "\(key.label) is no array here and was left out")
        }
        var values: [Value] = []
        var count = 0
        var pages = PassedPages(of: map.bytes)
        for element in map.array(key) {
            pages.pass(element.offset ?? 0)
            guard count < Self.elementLimit else {
                note(
                    key.label,
                    "there are more than \(Self.elementLimit) entries; the rest was left out")
                break
            }
            count += 1
            if let value = decode(element, &self) { values.append(value) }
        }
        return values
    }

    func place(of key: DumpKey, in map: DumpMap) -> String {
        guard let offset = map.property(key)?.offset ?? map.offset else { return key.label }
        return "offset \(offset.hex)"
    }

    private mutating func property(_ key: DumpKey, in map: DumpMap) -> DumpProperty? {
        if let property = map.property(key) { return property }
        if map.contains(key) {
            note(key, in: map, "\(key.label) is no property here and was left out")
        }
        return nil
    }
}
