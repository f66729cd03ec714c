// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The changes of a week that raise an alert: `new,back,worse=3x`.
package struct FleetAlert: Sendable, Equatable {
    private var isNew = false
    private var isBack = false
    private var factor: Double?

    package init?(_ text: String) {
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            switch word {
            case "new": isNew = true
            case "back": isBack = true
            case "worse": factor = 1
            default:
                guard word.hasPrefix("worse="),
                    let number = Double(word.dropFirst(6).trimmingSuffix("x")), number >= 1,
                    number.isFinite
                else { return nil }
                factor = number
            }
        }
    }

    package func findings(in week: FleetWeek) -> [String] {
        var all: [String] = []
        if isNew {
            all += week.newSignatures.map { one in
                let version = FleetWords.version(one.firstVersion)
                return "new in \(version): \(Self.name(one.program, one.text))"
            }
            let more = (week.newSignatureCount ?? 0) - week.newSignatures.count
            if more > 0 { all.append("new: \(counted(more, "more signature"))") }
        }
        for one in week.changes {
            let name = Self.name(one.program, one.text)
            if isBack, let gap = one.gap { all.append("\(gap.words): \(name)") }
            if let factor, let found = one.factor, found >= factor {
                all.append("worse, \(FleetWords.factor(found)): \(name)")
            }
        }
        return all
    }

    package func doubt(about week: FleetWeek) -> String? {
        guard week.crashCount > 0 else { return nil }
        if isNew, week.newSignatureCount == nil {
            return "nothing earlier is known, so nothing can be called new"
        }
        guard factor != nil, week.before == nil else { return nil }
        return "the \(week.span.beforeWords) is not known, so nothing can be called worse"
    }

    private static func name(_ program: String, _ text: String) -> String {
        FleetWords.program(program) + ": " + FleetWords.signature(text)
    }
}

extension FleetWeek.Gap {
    package var words: String {
        "back in \(FleetWords.version(backIn)) (not in \(FleetWords.version(goneIn)))"
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self
    }
}
