// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A JSON object that a command prints, its members sorted by name. Members without a value are
/// left out.
struct PrintedJSON: Encodable, ExpressibleByDictionaryLiteral {
    private var members: [String: any Encodable] = [:]

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        for (name, value) in members { self.members[name] = value }
    }

    /// An object that says what it is; docs/dump-convert.md lists the members.
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

    /// The object over several lines, for a command that prints one.
    var text: String { json(isPretty: true) }

    /// The object on one line, for output that is printed as things happen.
    var line: String { json(isPretty: false) }

    /// The text contains nothing that affects a terminal.
    private func json(isPretty: Bool) -> String {
        // Only strings, numbers and booleans, so encoding cannot fail.
        let bytes = (try? JSONText.encode(self, isPretty: isPretty)) ?? []
        return String(decoding: bytes, as: UTF8.self).printable { scalar in
            // The encoder escapes line feeds inside strings: those here are its own.
            scalar == "\n" ? "\n" : scalar.jsonEscaped
        }
    }
}

/// Times for programs, which may want to sort by them.
enum PreciseTime {
    /// `2026-08-22T03:14:07.250001Z`; without a fraction if it is zero, RFC 3339 5.6.
    static func timestamp(_ date: Timestamp) -> String {
        let microseconds = (date.secondsSince1970 * 1_000_000).rounded()
        let second = (microseconds / 1_000_000).rounded(.down)
        let whole = UTCTime.timestamp(Timestamp(secondsSince1970: second))
        let rest = microseconds - second * 1_000_000
        guard rest > 0, rest < 1_000_000, whole.hasSuffix("Z") else { return whole }
        let digits = String(Int(rest))
        let fraction = String(repeating: "0", count: 6 - digits.count) + digits
        return "\(whole.dropLast()).\(fraction)Z"
    }
}
