// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Reads typed values from maps and records what had to be left out.
struct FieldReader {
    private(set) var damage: [Damage] = []
    private var unlistedCount = 0

    /// How many entries are listed one by one; the rest are counted, so that a hostile dump cannot
    /// fill the memory with complaints.
    static let damageLimit = 200
    /// How many elements of one array are decoded: far more than the threads and mappings a process
    /// can have by default.
    static let elementLimit = 65_536
    /// The end of the year 9999. Later times are garbage, and date arithmetic overflows with them.
    private static let timeLimitSeconds: Int64 = 253_402_300_799

    mutating func note(_ subject: String, _ reason: String) {
        guard damage.count < Self.damageLimit else {
            unlistedCount += 1
            return
        }
        damage.append(Damage(stage: .reading, subject: subject, reason: reason))
    }

    /// Records something about a property or a map, by its place in the dump.
    mutating func note(_ key: DumpKey, in map: DumpMap, _ reason: String) {
        note(place(of: key, in: map), reason)
    }

    /// All entries, with a last one for those that are not listed.
    var allDamage: [Damage] {
        guard unlistedCount > 0 else { return damage }
        let rest = Damage(
            stage: .reading, subject: "dump", reason: "\(unlistedCount) more errors are not listed")
        return damage + [rest]
    }

    /// The payload of a property that must be `count` bytes long; one of another length is ignored
    /// and recorded. Nil, and nothing recorded, if there is none.
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

    /// One of the values of an enumeration; `usual` if there is none, and if it is not known.
    ///
    /// - Parameter words: how one that is not known is taken.
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

    /// As much of a payload of any length as is there; the tree's damage says when it is cut.
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

    /// Seconds of a TIMEVAL.
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

    /// The map with this key; nil, and nothing recorded, if there is none.
    mutating func map(_ key: DumpKey, in map: DumpMap) -> DumpMap? {
        if let inner = map.map(key) { return inner }
        if map.contains(key) {
            note(key, in: map, "\(key.label) is no map here and was left out")
        }
        return nil
    }

    /// The results of `decode` for the maps of an array, up to `elementLimit` of them.
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

    /// Where a property or map begins, for damage.
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
