// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// What died, why, and what the program said: the words of a report's first screen.
enum SummaryText {
    /// `exampled wrote to offset 0x10 of a null pointer`
    static func headline(_ explanation: CrashExplanation) -> TextSection {
        let name = explanation.programWords ?? "An unknown program"
        let words =
            explanation.diagnosis.map { " \($0.headline)" }
            ?? wordsWithoutCrash(explanation.snapshot)
        var line = TextLine.prose([TextSpan(name + words, .alarm)])
        line.isProse = false
        return TextSection(nil, [line])
    }

    /// What follows the program's name where there is no exception.
    static func wordsWithoutCrash(_ snapshot: ProcessSnapshot) -> String {
        snapshot.isCut
            ? ": this dump ends before it says what happened" : ": no crash in this dump"
    }

    /// A row is left out when the dump does not know it.
    static func facts(_ explanation: CrashExplanation) -> TextSection {
        let snapshot = explanation.snapshot
        let rows: [TextLine?] =
            reason(explanation) + [
                explanation.executablePath.map { .row("Program", $0) },
                time(snapshot).map { .row(explanation.reason == nil ? "Taken" : "Crashed", $0) },
                incomplete(explanation.completeness),
            ]
        return TextSection(nil, rows.compactMap(\.self))
    }

    /// Why, each statement with what it rests on.
    static func findings(_ explanation: CrashExplanation) -> TextSection {
        guard let diagnosis = explanation.diagnosis else {
            let words =
                "The process was alive when this dump was taken, or the dump ends before it says "
                + "how the process died; see the damage below."
            return TextSection(nil, [.prose([TextSpan(words)])])
        }
        return TextSection(nil, diagnosis.findings.map { finding($0) })
    }

    /// What was noticed besides the cause: threads that wait for each other.
    static func observations(_ explanation: CrashExplanation) -> TextSection {
        guard !explanation.observations.isEmpty else { return TextSection() }
        return TextSection(
            "Noticed as well:", explanation.observations.map { finding($0, lead: "  ") })
    }

    static func finding(_ finding: Diagnosis.Finding, lead: String = "") -> TextLine {
        .prose(
            lead: [TextSpan(lead)],
            [TextSpan(finding.statement)]
                + (finding.evidence.isEmpty
                    ? [] : [TextSpan("Because: \(finding.evidence)", .faint)]))
    }

    static func messages(_ messages: [CrashMessage]) -> TextSection {
        guard let first = messages.first else { return TextSection() }
        let body = messages.enumerated().flatMap { index, message in
            (index == 0 ? [] : [TextLine.heading("Message from \(message.source):")])
                + TerminalText.lines(message.text).map { TextLine.verbatim($0) }
        }
        return TextSection("Message from \(first.source):", body)
    }

    static func annotations(_ annotations: [Annotation]) -> TextSection {
        guard !annotations.isEmpty else { return TextSection() }
        return TextSection(
            "Annotations:",
            annotations.flatMap { annotation in
                let lines = TerminalText.lines(annotation.value)
                guard lines.count > 1 else {
                    return [TextLine.verbatim("\(annotation.name) = \(lines.first ?? "")")]
                }
                return [TextLine.verbatim("\(annotation.name) =")]
                    + lines.map { .verbatim($0, indent: 4) }
            })
    }

    private static func reason(_ explanation: CrashExplanation) -> [TextLine?] {
        guard let reason = explanation.cause else { return [] }
        let address = reason.address.map { address in
            address.paddedHex + (reason.access.map { " (\($0.rawValue))" } ?? "")
        }
        let sender = reason.sender.map { sender in
            if sender.isTheProcessItself { return "the process itself" }
            let user = sender.userID.map { ", user \($0)" } ?? ""
            return "process \(sender.processID)\(user)"
        }
        return [
            .row("Signal", reason.headline), address.map { .row("Address", $0) },
            sender.map { .row("Sent by", $0) },
            explanation.lastSignalWords.map { .row("Then", $0) },
            reason.systemCall.map { .row("Call", "system call \($0)") },
        ]
    }

    static func process(_ snapshot: ProcessSnapshot) -> String? {
        guard let id = snapshot.process.id ?? snapshot.launch?.processID else { return nil }
        let parent = snapshot.process.parentID.map { ", parent \($0)" } ?? ""
        let user = snapshot.process.userID.map { ", user \($0)" } ?? ""
        return "\(id)\(parent)\(user)"
    }

    private static func time(_ snapshot: ProcessSnapshot) -> String? {
        guard let time = snapshot.process.snapshotTime else { return nil }
        guard let start = snapshot.process.startTime, start <= time else {
            return UTCTime.text(time)
        }
        let age = UTCTime.span(
            seconds: time.timeIntervalSince1970 - start.timeIntervalSince1970)
        return "\(UTCTime.text(time)), \(age) after its start"
    }

    /// So that nobody takes a damaged report for the whole truth.
    private static func incomplete(_ completeness: Completeness) -> TextLine? {
        let subjects = completeness.subjects
        guard let first = subjects.first else { return nil }
        let rest = subjects.count - 1
        let words = first + (rest > 0 ? " and \(rest.grouped) more" : "")
        return .row(
            completeness.damage.isEmpty ? "Doubtful" : "Missing",
            words + "; see the damage below", .mark)
    }
}
