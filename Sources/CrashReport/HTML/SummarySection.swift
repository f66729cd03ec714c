// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// What died and why.
enum SummarySection {
    static func title(_ explanation: CrashExplanation) -> String {
        let name = explanation.programWords ?? "An unknown program"
        guard let diagnosis = explanation.diagnosis else {
            return name + SummaryText.wordsWithoutCrash(explanation.snapshot)
        }
        return "\(name) \(diagnosis.headline)"
    }

    static func masthead(_ explanation: CrashExplanation) -> Markup {
        let snapshot = explanation.snapshot
        return MarkupBuilder.buildArray([
            element("p", .class("eyebrow")) {
                explanation.reason == nil ? "Report of a live process" : "Crash report"
                if let moment = SummaryFacts.moment(snapshot) {
                    " · "
                    moment
                }
            },
            element("h1") { title(explanation) },
            signal(explanation) ?? Markup(),
            origin(explanation) ?? Markup(),
            SummaryFacts.markup(SummaryFacts.first(explanation)),
        ])
    }

    /// Nil when the headline says it already.
    private static func signal(_ explanation: CrashExplanation) -> Markup? {
        guard let reason = explanation.cause,
            explanation.diagnosis?.headline.contains(reason.headline) != true
        else { return nil }
        return element("p", .class("signal")) {
            Parts.tag(reason.signalName, "bad")
            " \(reason.codeName ?? "code \(reason.code)"): \(reason.meaning)"
        }
    }

    /// The innermost call of the program's own code: where a reader looks first, also when the
    /// crash itself is in a library.
    private static func origin(_ explanation: CrashExplanation) -> Markup? {
        let frames = explanation.faultStack?.frames ?? []
        let modules = explanation.snapshot.modules
        let own = frames.first { frame in
            frame.function != nil && frame.place != nil
                && !frame.isOfSystem(modules) && !frame.isOwn
        }
        guard let frame = own, let function = frame.shortFunction else { return nil }
        return element("p", .class("origin")) {
            "in "
            Parts.function(function, whole: frame.function)
            if let source = frame.source { " at " + FrameMarkup.nameAndNumbers(source) }
        }
    }

    /// Nil when there is nothing to add to the headline.
    static func why(_ explanation: CrashExplanation) -> Markup? {
        let snapshot = explanation.snapshot
        let hasMore =
            !snapshot.messages.isEmpty || !explanation.completeness.failures.isEmpty
            || explanation.diagnosis?.findings.isEmpty == false
            || !explanation.observations.isEmpty
        guard hasMore || explanation.reason == nil else { return nil }
        return Parts.section("why", "Why") {
            if explanation.reason == nil {
                element("p") {
                    "The process was alive when this dump was taken, or the dump ends before it "
                        + "says how the process died."
                }
            }
            for message in snapshot.messages {
                element("figure", .class("message")) {
                    element("figcaption") { "Message from \(message.source)" }
                    Parts.lines(message.text)
                }
            }
            findings(explanation.diagnosis?.findings ?? [])
            if !explanation.observations.isEmpty {
                element("h3") { "What else the dump shows" }
                findings(explanation.observations)
            }
            damageNotice(explanation.completeness)
        }
    }

    static func findings(_ findings: [Diagnosis.Finding]) -> Markup? {
        guard !findings.isEmpty else { return nil }
        return element("ul", .class("findings")) {
            for finding in findings {
                element("li") {
                    element("p") { Parts.prose(finding.statement) }
                    element("p", .class("evidence")) { Parts.prose(finding.evidence) }
                }
            }
        }
    }

    private static func damageNotice(_ completeness: Completeness) -> Markup? {
        let failures = completeness.failures
        guard !failures.isEmpty else { return nil }
        return element("p", .class("notice")) {
            "This report is not complete: "
            element("a", Attribute("href", "#damage")) {
                counted(failures.count, "thing is", "things are")
                    + " missing or uncertain"
            }
            "."
        }
    }
}
