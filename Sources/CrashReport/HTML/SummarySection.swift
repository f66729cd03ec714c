// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// What died and why.
enum SummarySection {
    static func title(_ explanation: CrashExplanation) -> String {
        let name = explanation.executableName ?? "An unknown program"
        guard let diagnosis = explanation.diagnosis else {
            return "\(name): no crash in this dump"
        }
        return "\(name) \(diagnosis.headline)"
    }

    static func masthead(_ explanation: CrashExplanation) -> Markup {
        let snapshot = explanation.snapshot
        return MarkupBuilder.buildArray([
            element("p", .class("eyebrow")) {
                explanation.reason == nil ? "Report of a live process" : "Crash report"
                if let time = snapshot.process.snapshotTime {
                    " · "
                    element("time", Attribute("datetime", UTCTime.timestamp(time))) {
                        UTCTime.text(time)
                    }
                }
            },
            element("h1") { title(explanation) },
            element("p", .class("signal")) {
                if let reason = explanation.reason {
                    Parts.tag(reason.signalName, "bad")
                    " \(reason.codeName ?? "code \(reason.code)"): \(reason.meaning)"
                }
            },
            facts(explanation),
        ])
    }

    private static func facts(_ explanation: CrashExplanation) -> Markup {
        let rows = SummaryFacts.rows(explanation)
        return element("dl", .class("facts")) {
            for row in rows {
                element("div") {
                    element("dt") { row.label }
                    element("dd") {
                        if row.isCode { Parts.code(row.value) } else { row.value }
                    }
                }
            }
        }
    }

    static func why(_ explanation: CrashExplanation) -> Markup {
        let snapshot = explanation.snapshot
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
            damageNotice(snapshot.damage)
        }
    }

    static func findings(_ findings: [Diagnosis.Finding]) -> Markup? {
        guard !findings.isEmpty else { return nil }
        return element("ul", .class("findings")) {
            for finding in findings {
                element("li") {
                    element("p") { finding.statement }
                    element("p", .class("evidence")) { finding.evidence }
                }
            }
        }
    }

    private static func damageNotice(_ damage: [Damage]) -> Markup? {
        guard !damage.isEmpty else { return nil }
        return element("p", .class("notice")) {
            "This report is not complete: "
            element("a", Attribute("href", "#damage")) {
                counted(damage.count, "thing is", "things are") + " missing"
            }
            "."
        }
    }
}
