// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The first screen: what died, why, and the program's messages.
package enum SummaryText {
    package static func headline(_ outline: ReportOutline) -> TextSection {
        TextSection(nil, [.prose([TextSpan(outline.headline, .alarm)], isProse: false)])
    }

    package static func facts(_ outline: ReportOutline) -> TextSection {
        let time = outline.moment.map { moment in
            ReportOutline.Row(
                outline.momentTitle,
                UTCTime.text(moment.time) + (moment.age.map { ", \($0)" } ?? ""))
        }
        let rows =
            [outline.place, outline.seen, outline.signal].compactMap(\.self) + outline.signalFacts
            + [outline.program, outline.release, outline.purpose, time].compactMap(\.self)
        return TextSection(nil, rows: rows, marked: incompleteness(outline))
    }

    private static func incompleteness(_ outline: ReportOutline) -> ReportOutline.Row? {
        outline.incompleteness.map { .init($0.label, $0.value + "; see the damage below") }
    }

    package static func findings(_ outline: ReportOutline) -> TextSection {
        guard let words = outline.wordsWithoutCrash else {
            return TextSection(nil, outline.findings.map { finding($0) })
        }
        let more = outline.mayLackCrash ? "; see the damage below" : ""
        return TextSection(
            nil,
            [.prose([TextSpan("\(words)\(more).")])] + outline.findings.map { finding($0) })
    }

    package static func observations(_ outline: ReportOutline) -> TextSection {
        let observations = outline.explanation.observations
        guard !observations.isEmpty else { return TextSection() }
        return TextSection(
            ReportOutline.observationsTitle + ":", observations.map { finding($0, lead: "  ") })
    }

    private static func finding(_ finding: Diagnosis.Finding, lead: String = "") -> TextLine {
        .prose(
            lead: [TextSpan(lead)],
            [TextSpan(finding.statement)]
                + (finding.evidence.isEmpty
                    ? [] : [TextSpan("Because: \(finding.evidence)", .faint)]))
    }

    package static func messages(_ messages: [CrashMessage]) -> TextSection {
        guard let first = messages.first else { return TextSection() }
        let body = messages.enumerated().flatMap { index, message in
            (index == 0 ? [] : [TextLine.heading("Message from \(message.source):")])
                + TerminalText.lines(message.text).map { TextLine.verbatim($0) }
        }
        return TextSection("Message from \(first.source):", body)
    }

    private static func remark(_ annotation: Annotation) -> String {
        let remarks = [
            annotation.isCut ? "cut" : nil, annotation.isOfTask ? "of the task" : nil,
        ].compactMap(\.self)
        return remarks.isEmpty ? "" : "  (\(remarks.joined(separator: ", ")))"
    }

    package static func annotations(_ annotations: [Annotation]) -> TextSection {
        guard !annotations.isEmpty else { return TextSection() }
        return TextSection(
            "Annotations:",
            annotations.flatMap { annotation in
                let lines = TerminalText.lines(annotation.value)
                guard lines.count > 1 else {
                    let value = lines.first ?? ""
                    return [TextLine.verbatim("\(annotation.name) = \(value)\(remark(annotation))")]
                }
                return [TextLine.verbatim("\(annotation.name) =\(remark(annotation))")]
                    + lines.map { .verbatim($0, indent: 4) }
            })
    }
}
