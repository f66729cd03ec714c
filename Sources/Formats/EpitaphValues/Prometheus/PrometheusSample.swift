// SPDX-License-Identifier: Apache-2.0

/// A line of Prometheus' text format 0.0.4: a name, labels and a value.
package struct PrometheusSample: Sendable, Equatable {
    /// A label and its value.
    package struct Label: Sendable, Hashable {
        /// Letters, digits and `_`.
        package let name: String
        /// Any text.
        package let value: String

        /// A label of these.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What is measured: a family, and which of its members.
    package struct Name: Sendable, Hashable {
        /// `epitaph_reports`
        package let family: String
        /// In the order they are written in.
        package var labels: [Label]

        /// A name of these parts.
        package init(_ family: String, _ labels: [(String, String)]) {
            self.family = family
            self.labels = labels.map { Label($0.0, $0.1) }
        }
    }

    /// What is measured.
    package let name: Name
    /// How much it is.
    package let value: Double

    /// The samples of a file; lines that are none are left out.
    package static func samples(in text: String) -> [PrometheusSample] {
        text.split(separator: "\n").compactMap { PrometheusSample($0) }
    }

    /// A sample of these.
    package init(_ name: Name, _ value: Double) {
        self.name = name
        self.value = value
    }

    /// Nil for a comment, and for what `text` does not write.
    package init?(_ line: Substring) {
        guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...]), value.isFinite
        else { return nil }
        let head = line[..<space]
        guard let brace = head.firstIndex(of: "{") else {
            self.init(Name(String(head), []), value)
            return
        }
        guard head.hasSuffix("}"),
            let labels = Self.labels(head[head.index(after: brace)...].dropLast())
        else { return nil }
        self.init(Name(String(head[..<brace]), labels), value)
    }

    private static func labels(_ text: Substring) -> [(String, String)]? {
        var labels: [(String, String)] = []
        var rest = text
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" }
            rest = rest[name.endIndex...]
            guard rest.hasPrefix("=\"") else { return nil }
            rest = rest.dropFirst(2)
            var value = ""
            while let character = rest.first, character != "\"" {
                rest = rest.dropFirst()
                guard character == "\\" else {
                    value.append(character)
                    continue
                }
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped == "n" ? "\n" : escaped)
            }
            guard rest.popFirst() == "\"" else { return nil }
            if rest.first == "," { rest = rest.dropFirst() }
            labels.append((String(name), value))
        }
        return labels
    }

    /// The line, without its end.
    package var text: String {
        let labels = name.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            .joined(separator: ",")
        let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        return name.family + (labels.isEmpty ? "" : "{\(labels)}") + " \(number)"
    }

    /// In a label's value `\`, `"` and line feed are escaped.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n").replacing("\r", with: " ")
    }
}
