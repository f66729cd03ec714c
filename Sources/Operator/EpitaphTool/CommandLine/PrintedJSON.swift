// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A JSON object to print, its members sorted by name. Members without a value are left out.
struct PrintedJSON: Encodable, ExpressibleByDictionaryLiteral {
    private var members: [String: any Encodable] = [:]

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        for (name, value) in members { self.members[name] = value }
    }

    /// Adds the schema; docs/dump-convert.md lists the members.
    init(schema: String, _ object: PrintedJSON) {
        members = object.members
        members["schema"] = "urn:epitaph:" + schema
        members["schemaVersion"] = 1
    }

    subscript(name: String) -> (any Encodable)? {
        get { members[name] }
        set { members[name] = newValue }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in members {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var text: String { json(isPretty: true) }

    var line: String { json(isPretty: false) }

    /// The text is safe for terminals.
    private func json(isPretty: Bool) -> String {
        // Strings, numbers and booleans only, so encoding cannot fail.
        let bytes = (try? JSONText.encode(self, isPretty: isPretty)) ?? []
        return String(decoding: bytes, as: UTF8.self).printable { scalar in
            // Line feeds inside strings are escaped already; these are the encoder's own.
            scalar == "\n" ? "\n" : scalar.jsonEscaped
        }
    }
}

enum PreciseTime {
    /// `2026-08-22T03:14:07.250001Z`, without a zero fraction: RFC 3339 5.6.
    static func timestamp(_ date: Timestamp) -> String {
        let microseconds = (date.secondsSince1970 * 1_000_000).rounded()
        let second = (microseconds / 1_000_000).rounded(.down)
        let whole = UTCTime.timestamp(Timestamp(secondsSince1970: second))
        let rest = microseconds - second * 1_000_000
        guard rest > 0, rest < 1_000_000, whole.hasSuffix("Z") else { return whole }
        return "\(whole.dropLast()).\(String(Int(rest)).zeroPadded(to: 6))Z"
    }
}
