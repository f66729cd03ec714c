// SPDX-License-Identifier: Apache-2.0

/// An entry of systemd's journal in the form of its native protocol, JOURNAL_NATIVE_PROTOCOL.md.
package struct JournalEntry: Sendable, Equatable {
    /// In the order in which they were added.
    package private(set) var fields: [(name: String, value: [UInt8])] = []

    /// An entry without fields.
    package init() {}

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - name: capital letters, digits and underscores, at most 64; it begins with a letter,
    ///     because names with an underscore in front are the journal's own. A field of another name
    ///     is left out, as the journal would do.
    ///   - value: any bytes.
    package mutating func add(_ name: String, _ value: [UInt8]) {
        guard Self.isUsable(name) else { return }
        fields.append((name, value))
    }

    /// Adds a field with a text.
    package mutating func add(_ name: String, _ value: String) { add(name, Array(value.utf8)) }

    static func isUsable(_ name: String) -> Bool {
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = name.utf8.first, letters.contains(first) else { return false }
        return name.utf8.count <= 64
            && name.utf8.allSatisfy {
                letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    /// `NAME=VALUE` and a line feed; a value with a line feed in it has its length before it.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes += name.utf8
            if value.contains(0x0a) {
                bytes.append(0x0a)
                withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(0x0a)
        }
        return bytes
    }

    package static func == (first: JournalEntry, second: JournalEntry) -> Bool {
        first.bytes == second.bytes
    }
}
