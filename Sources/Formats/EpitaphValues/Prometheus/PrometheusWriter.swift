// SPDX-License-Identifier: Apache-2.0

/// Samples of one kind, with the help that must be the same in every file on a machine:
/// node_exporter rejects files that differ.
package struct PrometheusFamily: Sendable, Hashable {
    /// How a value changes.
    package enum Kind: String, Sendable {
        /// Grows until it begins again at 0.
        case counter
        /// Goes up and down.
        case gauge
    }

    /// `epitaph_reports`
    package let name: String
    /// How its values change.
    package let kind: Kind
    /// A sentence.
    package let help: String

    /// A family of these.
    package init(_ kind: Kind, _ name: String, _ help: String) {
        self.kind = kind
        self.name = name
        self.help = help
    }
}

/// Writes a file in Prometheus' text format 0.0.4: families one after the other, each with its samples
/// sorted, and without times: node_exporter rejects a file that has them.
package struct PrometheusWriter: Sendable {
    /// What was written so far.
    package private(set) var text = ""

    /// Nothing was written yet.
    package init() {}

    /// Adds a family; one without samples is left out.
    package mutating func family(
        _ family: PrometheusFamily,
        _ samples: [(labels: [PrometheusSample.Label], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(family.name) \(family.help)\n"
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
        let lines = samples.map { labels, value in
            var name = PrometheusSample.Name(family.name, [])
            name.labels = labels
            return PrometheusSample(name, value).text
        }
        text += lines.sorted().joined(separator: "\n") + "\n"
    }
}
