// SPDX-License-Identifier: Apache-2.0

package struct JournalEntry: Sendable, Equatable {
    package private(set) var fields: [(name: String, value: [UInt8])] = []

    package init() {}

    /// - Parameter name: at most 64 capital letters, digits and underscores, beginning with a
    ///   letter: a leading underscore is the journal's own. Other names are left out, as the
    ///   journal would do.
    package mutating func add(_ name: String, _ value: [UInt8]) {
        guard Self.isUsable(name) else { return }
        fields.append((name, value))
    }

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
