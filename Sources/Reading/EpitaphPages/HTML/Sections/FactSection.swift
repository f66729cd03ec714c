// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum FactSection {
    static let mostRows = 2_000

    static func annotations(_ annotations: [Annotation]) -> Markup? {
        guard !annotations.isEmpty else { return nil }
        return Parts.section("annotations", "Annotations", note: "Set by the program.") {
            Parts.table("Annotations", class: "pairs", headings: ["Name", "Value"]) {
                for annotation in annotations.prefix(mostRows) {
                    Parts.row(annotation.name) {
                        element("td") {
                            if annotation.value.utf8.contains(UInt8(ascii: "\n")) {
                                Parts.lines(annotation.value)
                            } else {
                                annotation.value
                            }
                            Parts.hint(annotation.type == .string ? nil : annotation.type.word)
                            Parts.tag("cut", if: annotation.isCut)
                            Parts.tag("task", if: annotation.isOfTask)
                        }
                    }
                }
            }
            Parts.leftOut(annotations.count - mostRows, "annotations")
        }
    }

    static func system(_ outline: ReportOutline) -> Markup {
        let short = ReportOutline.Row(
            "Signature, short", outline.explanation.signature?.identifier, isCode: true)
        return Parts.section("system", "System") {
            Parts.facts(
                outline.identifiers + [short].compactMap(\.self) + outline.machineFacts)
            list(outline.commandLine)
            list(outline.environment)
        }
    }

    @MarkupBuilder
    private static func list(_ listing: ReportOutline.Listing?) -> Markup {
        if let listing {
            element("h3") { listing.title }
            element("ul", .class("words")) {
                for item in listing.items.prefix(mostRows) {
                    element("li") { Parts.code(item) }
                }
            }
            Parts.leftOut(listing.items.count - mostRows, "lines")
        }
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

    static func damage(_ outline: ReportOutline) -> Markup {
        if let words = outline.wordsWithoutDamage {
            return Parts.section("damage", "Damage") {
                element("p") { Parts.sentence(words) }
            }
        }
        let damage = outline.damage
        return Parts.section(
            "damage", "Damage", note: "What this report lacks, and why."
        ) {
            Parts.table("Damage", class: "pairs", headings: ["Stage", "What"]) {
                for row in damage.prefix(mostRows) {
                    Parts.row(row.label) { element("td") { row.value } }
                }
            }
            Parts.leftOut(damage.count - mostRows, "entries")
        }
    }
}
