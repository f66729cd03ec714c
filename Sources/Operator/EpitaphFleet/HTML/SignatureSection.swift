// SPDX-License-Identifier: Apache-2.0

import EpitaphPages
import EpitaphValues

/// The most frequent and the new signatures.
enum SignatureSection {
    /// Longer ones are cut; the title has the whole.
    static let longestShown = 300

    static func top(_ week: FleetWeek) -> Markup? {
        guard !week.signatures.isEmpty else { return nil }
        return Parts.section("signatures", "Top signatures") {
            Parts.table(
                "Top signatures", class: "fleet top",
                headings: [
                    "Signature", "Crashes", "Share", "Hosts", "Releases", "Over time", "Last",
                ]
            ) {
                for (index, signature) in week.signatures.enumerated() {
                    element("tr") {
                        element("th", .class("signature"), Attribute("scope", "row")) {
                            element("span", .class("swatch \(BarChart.colour(index))"))
                            name(signature.program, signature.text)
                            Parts.tag("new", "doubt", if: signature.isNew)
                        }
                        TimeSection.amount(signature.crashCount)
                        element("td", .class("amount")) { week.share(signature.crashCount) }
                        TimeSection.amount(signature.hostCount)
                        TimeSection.amount(signature.versionCount)
                        element("td") { Sparkline.markup(signature.perStep, span: week.span) }
                        element("td", .class("when")) { TimeSection.stamp(signature.last.minute) }
                    }
                }
            }
            more(week.signatureCount - week.signatures.count, "signatures")
        }
    }

    static func new(_ week: FleetWeek) -> Markup? {
        guard let count = week.newSignatureCount else { return nil }
        return Parts.section(
            "new", "New signatures",
            note: count == 0 ? "Everything that crashed had crashed before." : nil
        ) {
            if count > 0 {
                Parts.table(
                    "New signatures", class: "fleet new",
                    headings: ["Signature", "Crashes", "Hosts", "First", "In version"]
                ) {
                    for signature in week.newSignatures {
                        element("tr") {
                            element("th", .class("signature"), Attribute("scope", "row")) {
                                name(signature.program, signature.text)
                            }
                            TimeSection.amount(signature.crashCount)
                            TimeSection.amount(signature.hostCount)
                            element("td", .class("when")) {
                                TimeSection.stamp(signature.first.minute)
                            }
                            element("td") { shortened(FleetWords.version(signature.firstVersion)) }
                        }
                    }
                }
                more(count - week.newSignatures.count, "signatures")
            }
        }
    }

    static func name(_ program: String, _ text: String, longest: Int = longestShown) -> Markup {
        element("span", .class("name")) {
            element("b") { shortened(FleetWords.program(program), longest: longest) }
            " "
            shortened(FleetWords.signature(text), longest: longest)
        }
    }

    /// - Parameter longest: in Unicode scalars.
    static func shortened(_ text: String, longest: Int = longestShown) -> Markup {
        let shown = text.unicodeScalars.prefix(longest)
        guard shown.count < text.unicodeScalars.count else { return Parts.code(text) }
        let whole = String(text.unicodeScalars.prefix(Markup.longestText))
        return Markup(
            element: "code", [Attribute("title", whole)],
            content: Markup(text: String(shown) + "…"))
    }

    static func more(_ count: Int, _ things: String) -> Markup? {
        guard count > 0 else { return nil }
        return element("p", .class("note")) { "\(count.grouped) more \(things) are not shown." }
    }
}

extension Timestamp {
    var minute: Timestamp {
        Timestamp(secondsSince1970: (secondsSince1970 / 60).rounded(.down) * 60)
    }
}
