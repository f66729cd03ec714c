// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// Facts that stand by themselves: annotations, the machine, files, damage.
enum FactSection {
    static let mostRows = 2_000

    static func annotations(_ annotations: [Annotation]) -> Markup? {
        guard !annotations.isEmpty else { return nil }
        return Parts.section("annotations", "Annotations", note: "What the program told of itself.")
        {
            Parts.table("Annotations", class: "pairs", headings: ["Name", "Value"]) {
                for annotation in annotations.prefix(mostRows) {
                    element("tr") {
                        element("th", Attribute("scope", "row")) { annotation.name }
                        element("td") {
                            if annotation.value.utf8.contains(UInt8(ascii: "\n")) {
                                Parts.lines(annotation.value)
                            } else {
                                annotation.value
                            }
                        }
                    }
                }
            }
            MapSection.leftOut(annotations.count - mostRows, "annotations")
        }
    }

    static func system(_ explanation: CrashExplanation) -> Markup {
        let snapshot = explanation.snapshot
        let words = (snapshot.commandLine ?? .empty).text.split(separator: "\0").map(String.init)
        return Parts.section("system", "System") {
            SummaryFacts.markup(
                SummaryFacts.names(explanation) + SystemFactRows.rows(snapshot))
            list("Command line", words)
            list("Environment", snapshot.environment)
        }
    }

    /// Only there when the program allow-listed something.
    private static func list(_ title: String, _ items: [String]) -> Markup? {
        guard !items.isEmpty else { return nil }
        return MarkupBuilder.buildArray([
            element("h3") { title },
            element("ul", .class("words")) {
                for item in items.prefix(mostRows) {
                    element("li") { Parts.code(item) }
                }
            },
            MapSection.leftOut(items.count - mostRows, "lines") ?? Markup(),
        ])
    }

    static func files(_ files: SystemFiles) -> Markup? {
        let texts = files.texts
        guard !texts.isEmpty else { return nil }
        return Parts.section("files", "Files", note: "As they were at the crash.") {
            for file in texts {
                Parts.folded(
                    MarkupBuilder.buildArray([
                        Parts.code(file.path), Markup(text: " " + byteCount(file.bytes.count)),
                    ])
                ) { Parts.lines(file.bytes.text) }
            }
        }
    }

    /// What keeps the report from being complete; that it is, is said only where it is proved.
    static func damage(_ completeness: Completeness) -> Markup {
        guard !completeness.failures.isEmpty else {
            let rest = completeness.unproven.joined(separator: "; ")
            return Parts.section("damage", "Damage") {
                element("p") {
                    completeness.isComplete
                        ? "None: the report is complete." : "None is known, but \(rest)."
                }
            }
        }
        let damage = completeness.damage
        let doubts = completeness.doubts + completeness.unproven
        return Parts.section(
            "damage", "Damage", note: "What this report lacks, and why."
        ) {
            Parts.table("Damage", class: "pairs", headings: ["While", "What"]) {
                for item in damage.prefix(mostRows) { row(item.stage.words, item.sentence) }
                for doubt in doubts.prefix(mostRows) { row("reading the stacks", doubt) }
            }
            MapSection.leftOut(damage.count - mostRows, "entries")
            MapSection.leftOut(doubts.count - mostRows, "doubts")
        }
    }

    private static func row(_ step: String, _ sentence: String) -> Markup {
        element("tr") {
            element("th", Attribute("scope", "row")) { step }
            element("td") { sentence }
        }
    }
}

extension Damage.Stage {
    /// Continues "while".
    fileprivate var words: String {
        switch self {
        case .capture: "capturing the process"
        case .reading: "reading the dump"
        case .writing: "writing the minidump"
        }
    }
}
