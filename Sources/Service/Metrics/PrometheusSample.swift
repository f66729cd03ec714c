// SPDX-License-Identifier: Apache-2.0

/// A line of Prometheus' text format 0.0.4: a name, labels and a value.
struct PrometheusSample: Equatable {
    struct Label: Hashable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    struct Name: Hashable {
        let family: String
        var labels: [Label]

        init(_ family: String, _ labels: [(String, String)]) {
            self.family = family
            self.labels = labels.map { Label($0.0, $0.1) }
        }
    }

    let name: Name
    let value: Double

    /// The samples of a file; lines that are none are left out.
    static func samples(in text: String) -> [PrometheusSample] {
        text.split(separator: "\n").compactMap { PrometheusSample($0) }
    }

    init(_ name: Name, _ value: Double) {
        self.name = name
        self.value = value
    }

    /// Nil for a comment, and for what `text` does not write.
    init?(_ line: Substring) {
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

    var text: String {
        let labels = name.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            .joined(separator: ",")
        let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        return name.family + (labels.isEmpty ? "" : "{\(labels)}") + " \(number)"
    }

    /// In a label's value `\`, `"` and line feed are escaped.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n").replacing("\r", with: " ")
    }
}

/// Writes families one after the other, each with its samples sorted.
struct PrometheusWriter {
    private(set) var text = ""

    /// A family without samples is left out.
    mutating func family(
        _ family: Family, _ samples: [(labels: [PrometheusSample.Label], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind)\n"
        let lines = samples.map { labels, value in
            var name = PrometheusSample.Name(family.name, [])
            name.labels = labels
            return PrometheusSample(name, value).text
        }
        text += lines.sorted().joined(separator: "\n") + "\n"
    }
}
