// SPDX-License-Identifier: Apache-2.0

/// The header lines of an answer, RFC 9110 6.3. A server decides how many there are, so only the
/// first ones are kept.
package struct AnswerHeaders: Sendable, Equatable {
    private struct Line: Sendable, Equatable {
        /// In lower case.
        let name: String
        let value: String
    }

    /// How many lines are kept.
    package static let lineLimit = 100
    /// How many bytes of names and values are kept, for all lines together.
    package static let byteLimit = 32_768

    private var lines: [Line] = []
    private var byteCount = 0

    /// No headers.
    package init() {}

    /// - Parameter lines: names and values in the order received.
    package init(_ lines: [(name: String, value: String)]) {
        for (name, value) in lines { add(name, value) }
    }

    /// The value of the header with this name, ignoring case. Several headers of one name become
    /// one list, RFC 9110 5.3. Nil if none of the kept headers has this name.
    package subscript(name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The values of the headers with this name, in the order received.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return lines.filter { $0.name == name }.map(\.value)
    }

    /// Adds a line, unless there is no room left.
    package mutating func add(_ name: String, _ value: String) {
        let size = name.utf8.count + value.utf8.count
        guard lines.count < Self.lineLimit, byteCount + size <= Self.byteLimit else { return }
        byteCount += size
        lines.append(Line(name: name.lowercased(), value: value))
    }

    /// The same names with other values.
    package func mapValues(_ transform: (String) -> String) -> AnswerHeaders {
        AnswerHeaders(lines.map { ($0.name, transform($0.value)) })
    }
}
