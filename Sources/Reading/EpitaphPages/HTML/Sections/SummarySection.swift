// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum SummarySection {
    @MarkupBuilder
    static func masthead(_ outline: ReportOutline) -> Markup {
        element("p", .class("eyebrow")) {
            outline.kindTitle
            if let moment = outline.moment {
                " · "
                Parts.time(moment.time)
                moment.age.map { ", \($0)" }
            }
        }
        element("h1") { outline.headline }
        signal(outline.explanation)
        origin(outline)
        Parts.facts(
            [outline.seen].compactMap(\.self) + outline.signalFacts
                + [outline.program, outline.release, outline.purpose, outline.process].compactMap(
                    \.self)
                + [outline.system])
    }

    /// Nil if the headline already contains it.
    private static func signal(_ explanation: CrashExplanation) -> Markup? {
        guard let reason = explanation.cause,
            explanation.diagnosis?.headline.contains(reason.headline) != true
        else { return nil }
        return element("p", .class("signal")) {
            Parts.tag(reason.signalName, "bad")
            " \(reason.codeName ?? "code \(reason.code)"): \(reason.meaning)"
        }
    }

    private static func origin(_ outline: ReportOutline) -> Markup? {
        guard let frame = outline.origin, let function = frame.shortFunction else { return nil }
        return element("p", .class("origin")) {
            "in "
            Parts.function(function, whole: frame.function)
            frame.source.map { " at \($0.fileName)\($0.numbers)" }
            outline.originDoubt
        }
    }

    /// Nil if there is nothing to add to the headline.
    static func why(_ outline: ReportOutline) -> Markup? {
        let messages = outline.messages
        let observations = outline.explanation.observations
        let failures = outline.explanation.completeness.failures
        guard
            !messages.isEmpty || !failures.isEmpty || !outline.findings.isEmpty
                || !observations.isEmpty || outline.wordsWithoutCrash != nil
        else { return nil }
        return Parts.section("why", "Why") {
            if let words = outline.wordsWithoutCrash { element("p") { words + "." } }
            for message in messages {
                element("figure", .class("message")) {
                    element("figcaption") { "Message from \(message.source)" }
                    Parts.lines(message.text)
                }
            }
            findings(outline.findings)
            if !observations.isEmpty {
                element("h3") { ReportOutline.observationsTitle }
                findings(observations)
            }
            if !failures.isEmpty {
                element("p", .class("notice")) {
                    "This report is not complete: "
                    element("a", Attribute("href", "#damage")) {
                        counted(failures.count, "thing is", "things are")
                            + " missing or uncertain"
                    }
                    "."
                }
            }
        }
    }

    private static func findings(_ findings: [Diagnosis.Finding]) -> Markup? {
        guard !findings.isEmpty else { return nil }
        return element("ul", .class("findings")) {
            for finding in findings {
                element("li") {
                    element("p") { Parts.prose(finding.statement) }
                    if !finding.evidence.isEmpty {
                        element("p", .class("evidence")) { Parts.prose(finding.evidence) }
                    }
                }
            }
        }
    }
}
