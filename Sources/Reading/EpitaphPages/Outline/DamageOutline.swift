// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension ReportOutline {
    package var damage: [Row] {
        let completeness = explanation.completeness
        guard !completeness.failures.isEmpty else { return [] }
        let found =
            completeness.damage.map { Row($0.stage.words, $0.sentence) }
            + completeness.doubts.map { Row("reading the stacks", $0) }
        return Self.joiningThreads(of: found)
            + completeness.unproven.map { Row("not known", $0) }
    }

    /// One row instead of many that say the same of one thread each. Up to three stay as they are.
    private static func joiningThreads(of rows: [Row]) -> [Row] {
        let fewest = 4
        var joined: [Row] = []
        var counts: [String: Int] = [:]
        for row in rows {
            guard let words = row.wordsAboutThread else { continue }
            counts[row.label + words, default: 0] += 1
        }
        for row in rows {
            guard let words = row.wordsAboutThread, let count = counts[row.label + words],
                count >= fewest
            else {
                joined.append(row)
                continue
            }
            let together = Row(row.label, "\(counted(count, "thread")): \(words)")
            if !joined.contains(together) { joined.append(together) }
        }
        return joined
    }

    /// Without a full stop; nil if there is damage. Only a proved report is called complete.
    package var wordsWithoutDamage: String? {
        let completeness = explanation.completeness
        guard completeness.failures.isEmpty else { return nil }
        return completeness.isComplete
            ? "none, the report is complete"
            : "none is known, but " + completeness.unproven.joined(separator: "; ")
    }
}

extension ReportOutline.Row {
    /// What follows `thread 4711: `; nil for a row about something else.
    fileprivate var wordsAboutThread: String? {
        guard value.hasPrefix("thread "), let colon = value.firstRange(of: ": ") else { return nil }
        let number = value.dropFirst("thread ".count).prefix { $0.isNumber }
        guard !number.isEmpty, number.endIndex == colon.lowerBound else { return nil }
        return String(value[colon.upperBound...])
    }
}

extension Damage.Stage {
    fileprivate var words: String {
        switch self {
        case .capture: "capturing the process"
        case .reading: "reading the dump"
        case .writing: "writing the minidump"
        }
    }
}
