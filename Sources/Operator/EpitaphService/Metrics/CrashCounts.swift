// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// How many crashes there were of each program, version and kind, and which reports were counted: the
/// counts stay when their reports are removed.
package struct CrashCounts: Sendable, Equatable {
    /// Crashes that have these in common.
    package struct Group: Sendable, Hashable {
        /// The file name of the executable.
        package let program: String
        /// What the program says is its version; empty if it says nothing.
        package let version: String
        /// The first word of the signature: `null-dereference`.
        package let kind: String

        /// Texts are cut at 100 characters: a label is no place for more.
        package init(program: String, version: String, kind: String) {
            self.program = Self.label(program)
            self.version = Self.label(version)
            self.kind = Self.label(kind)
        }

        /// Where crashes are counted when there are too many groups.
        package static let other = Group(program: "other", version: "other", kind: "other")

        private static func label(_ text: String) -> String {
            String(text.prefix(100).map { $0.isNewline ? " " : $0 })
        }
    }

    /// Versions and names come from programs, and an attacker may make any number of those.
    package static let groupLimit = 200

    /// Since the first count.
    package private(set) var counts: [Group: Int] = [:]
    /// Reports that are in `counts`, or are not of a crash.
    package private(set) var counted: Set<Epitaph.ID> = []

    /// Nothing was counted yet.
    package init() {}

    /// Counts a report once, however often it is given.
    ///
    /// - Parameters:
    ///   - report: its id.
    ///   - group: nil for a report that is not of a crash.
    package mutating func count(_ report: Epitaph.ID, as group: Group?) {
        guard counted.insert(report).inserted, let group else { return }
        let isKnown = counts[group] != nil || counts.count < Self.groupLimit
        counts[isKnown ? group : .other, default: 0] += 1
    }

    /// Forgets the ids of reports that are gone; their crashes stay counted.
    package mutating func forgetReports(except present: Set<Epitaph.ID>) {
        counted.formIntersection(present)
    }
}

extension CrashCounts {
    private static let head = "epitaph-crash-counts 1"
    private static let end = "end"
    private static let mark = "counted "

    /// Reads what `text` wrote; nil for anything else, and for a part of it.
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

    /// As a file: a line for each group and for each report, between two that show that it is whole.
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

    /// Writes the counters of several databases, by path.
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
