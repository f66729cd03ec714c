// SPDX-License-Identifier: Apache-2.0

/// Header lines of an answer, RFC 9110 6.3. Only the first are kept: there may be any number.
package struct AnswerHeaders: Sendable, Equatable {
    private struct Line: Sendable, Equatable {
        let name: String
        let value: String
    }

    package static let lineLimit = 100
    /// Names and values of all lines together.
    package static let byteLimit = 32_768

    private var lines: [Line] = []
    private var byteCount = 0

    package init() {}

    package init(_ lines: [(name: String, value: String)]) {
        for (name, value) in lines { add(name, value) }
    }

    /// Ignores case; several headers of a name become one list, RFC 9110 5.3. Nil if none.
    package subscript(name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// In the order received.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return lines.filter { $0.name == name }.map(\.value)
    }

    package mutating func add(_ name: String, _ value: String) {
        let size = name.utf8.count + value.utf8.count
        guard lines.count < Self.lineLimit, byteCount + size <= Self.byteLimit else { return }
        byteCount += size
        lines.append(Line(name: name.lowercased(), value: value))
    }

    package func mapValues(_ transform: (String) -> String) -> AnswerHeaders {
        AnswerHeaders(lines.map { ($0.name, transform($0.value)) })
    }
}
