// SPDX-License-Identifier: Apache-2.0

/// A line of Prometheus' text format 0.0.4: name, labels, value.
package struct PrometheusSample: Sendable, Equatable {
    package struct Label: Sendable, Hashable {
        /// Letters, digits and `_`.
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package struct Name: Sendable, Hashable {
        /// `epitaph_reports`
        package let family: String
        package var labels: [Label]

        package init(_ family: String, _ labels: [(String, String)]) {
            self.family = family
            self.labels = labels.map { Label($0.0, $0.1) }
        }
    }

    package let name: Name
    package let value: Double

    package static func samples(in text: String) -> [PrometheusSample] {
        text.split(separator: "\n").compactMap { PrometheusSample($0) }
    }

    package init(_ name: Name, _ value: Double) {
        self.name = name
        self.value = value
    }

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

    package var text: String {
        let labels = name.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            .joined(separator: ",")
        let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        return name.family + (labels.isEmpty ? "" : "{\(labels)}") + " \(number)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"")
            .replacingEach("\n", with: "\\n").replacingEach("\r", with: " ")
    }
}
