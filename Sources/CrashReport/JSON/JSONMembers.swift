// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Members by their keys. One whose value is not known is left out: a report has no nulls.
extension JSONWriter {
    mutating func member(_ key: JSONKey, _ text: String?) {
        guard let text else { return }
        self.key(key.rawValue)
        string(text)
    }

    mutating func member(_ key: JSONKey, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.key(key.rawValue)
        number(value)
    }

    mutating func member(_ key: JSONKey, _ value: Bool) {
        self.key(key.rawValue)
        bool(value)
    }

    /// Addresses, offsets and bit masks are strings: readers that keep numbers as `double`, as
    /// JavaScript does, lose bits of a number above 2^53.
    mutating func member(_ key: JSONKey, hex value: (some FixedWidthInteger & UnsignedInteger)?) {
        member(key, value?.hex)
    }

    /// ISO 8601 in UTC with milliseconds; left out for a time that has no such form.
    mutating func member(_ key: JSONKey, _ time: Date?) {
        guard let time else { return }
        let seconds = time.timeIntervalSince1970
        let stamp = UTCTime.timestamp(time)
        guard stamp.hasSuffix("Z"), seconds.isFinite else { return }
        let milliseconds = Int((seconds - seconds.rounded(.down)) * 1000)
        let digits = String(1000 + min(milliseconds, 999)).dropFirst()
        member(key, "\(stamp.dropLast()).\(digits)Z")
    }

    mutating func member(_ key: JSONKey, seconds: Double?) {
        guard let seconds, seconds.isFinite else { return }
        self.key(key.rawValue)
        number(digits: "\(seconds)")
    }

    mutating func member(_ key: JSONKey, nanoseconds: UInt64?) {
        guard let nanoseconds else { return }
        self.key(key.rawValue)
        let fraction = String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst()
        number(digits: "\(nanoseconds / 1_000_000_000).\(fraction)")
    }

    mutating func object(_ key: JSONKey, _ members: (inout JSONWriter) -> Void) {
        self.key(key.rawValue)
        object(members)
    }

    mutating func array<Items: Sequence>(
        _ key: JSONKey, _ items: Items, _ write: (inout JSONWriter, Items.Element) -> Void
    ) {
        self.key(key.rawValue)
        array(items, write)
    }

    mutating func array(_ key: JSONKey, _ items: [String]) {
        array(key, items) { $0.string($1) }
    }
}
