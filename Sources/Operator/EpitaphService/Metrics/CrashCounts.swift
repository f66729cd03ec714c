// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Crashes of each program, version and kind. Counts stay when their reports are removed.
package struct CrashCounts: Sendable, Equatable {
    package struct Group: Sendable, Hashable {
        package let program: String
        package let version: String
        /// The first word of the signature: `null-dereference`.
        package let kind: String

        /// Cuts texts at 100 characters for labels.
        package init(program: String, version: String, kind: String) {
            self.program = Self.label(program)
            self.version = Self.label(version)
            self.kind = Self.label(kind)
        }

        /// Used when there are too many groups.
        package static let other = Group(program: "other", version: "other", kind: "other")

        private static func label(_ text: String) -> String {
            String(text.prefix(100).map { $0.isNewline ? " " : $0 })
        }
    }

    /// Programs choose versions and names, so an attacker may make any number of them.
    package static let groupLimit = 200

    package private(set) var counts: [Group: Int] = [:]
    /// Reports that are in `counts`, or are not of a crash.
    package private(set) var counted: Set<Epitaph.ID> = []

    package init() {}

    package mutating func count(_ report: Epitaph.ID, as group: Group?) {
        guard counted.insert(report).inserted, let group else { return }
        let isKnown = counts[group] != nil || counts.count < Self.groupLimit
        counts[isKnown ? group : .other, default: 0] += 1
    }

    package mutating func forgetReports(except present: Set<Epitaph.ID>) {
        counted.formIntersection(present)
    }
}

extension CrashCounts {
    private static let head = "epitaph-crash-counts 1"
    private static let end = "end"
    private static let mark = "counted "

    /// Reads the output of `text`; nil for anything else or a part of it.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == Self.head, lines.suffix(2) == [Self.end[...], ""]
        else { return nil }
        for line in lines.dropFirst().dropLast(2) {
            if line.hasPrefix(Self.mark) {
                guard let id = Epitaph.ID(String(line.dropFirst(Self.mark.count))) else {
                    return nil
                }
                counted.insert(id)
            } else {
                guard let sample = PrometheusSample(line), sample.value >= 0,
                    let count = Int(exactly: sample.value)
                else { return nil }
                let labels = sample.name.labels
                guard labels.map(\.name) == ["program", "version", "kind"],
                    counts.count <= Self.groupLimit
                else { return nil }
                let group = Group(
                    program: labels[0].value, version: labels[1].value, kind: labels[2].value)
                counts[group] = count
            }
        }
    }

    /// One line for each group and report, between two lines that show that it is complete.
    package var text: String {
        let groups = counts.map { group, count in
            PrometheusSample(name(group, database: nil), Double(count)).text
        }
        let reports = counted.map { Self.mark + $0.description }
        return ([Self.head] + groups.sorted() + reports.sorted() + [Self.end, ""])
            .joined(separator: "\n")
    }

    private func name(_ group: Group, database: String?) -> PrometheusSample.Name {
        let labels = [
            ("program", group.program), ("version", group.version), ("kind", group.kind),
        ]
        let place = database.map { [("database", $0)] } ?? []
        return PrometheusSample.Name(PrometheusFamily.crashes.name, place + labels)
    }

    package static func write(_ counts: [String: CrashCounts], to writer: inout PrometheusWriter) {
        writer.family(
            .crashes,
            counts.flatMap { database, counts in
                counts.counts.map { group, count in
                    (counts.name(group, database: database).labels, Double(count))
                }
            })
    }
}

extension PrometheusFamily {
    static let crashes = PrometheusFamily(
        .counter, "epitaph_crashes_total", "Crashes, by program, version and kind of death.")
}
