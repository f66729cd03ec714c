// SPDX-License-Identifier: Apache-2.0

/// Samples of one kind with their help text, which must be the same in every file on a machine:
/// node_exporter rejects files that differ.
package struct PrometheusFamily: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// Grows until it restarts at 0.
        case counter
        case gauge
    }

    package let name: String
    package let kind: Kind
    /// A sentence.
    package let help: String

    package init(_ kind: Kind, _ name: String, _ help: String) {
        self.kind = kind
        self.name = name
        self.help = help
    }
}

/// A file in Prometheus' text format 0.0.4: families in a row, each with sorted samples and without
/// times, which node_exporter rejects.
package struct PrometheusWriter: Sendable {
    package private(set) var text = ""

    package init() {}

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
