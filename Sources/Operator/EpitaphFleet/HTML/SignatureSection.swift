// SPDX-License-Identifier: Apache-2.0

import EpitaphPages
import EpitaphValues

/// The most frequent signatures, and those that are worse, back or new.
struct SignatureSection {
    let week: FleetWeek
    let reportAddress: String?

    /// Longer ones are cut; the title has the whole.
    static let longestShown = 300

    var changes: Markup? {
        guard !week.changes.isEmpty else { return nil }
        return Parts.section(
            "changes", "What got worse",
            note: "Compared with the \(week.span.beforeWords). How it is decided is said below."
        ) {
            Parts.table(
                "What got worse", class: "fleet changed",
                headings: ["Signature", "Crashes", "Before", "Hosts", "What"]
            ) {
                for change in week.changes.prefix(FleetWeek.mostSignatures) {
                    element("tr") {
                        element("th", .class("signature"), Attribute("scope", "row")) {
                            Self.name(change.program, change.text)
                            tags(change)
                            report(change.reportID)
                        }
                        TimeSection.amount(change.crashCount)
                        element("td", .class("amount")) {
                            week.before == nil ? "?" : change.crashCountBefore.grouped
                        }
                        TimeSection.amount(change.hostCount)
                        element("td") {
                            [change.factor.map(FleetWords.factor), change.gap?.words]
                                .compactMap(\.self).joined(separator: "; ")
                        }
                    }
                }
            }
            Self.more(week.changes.count - FleetWeek.mostSignatures, "signatures")
        }
    }

    @MarkupBuilder
    private func tags(_ change: FleetWeek.Change?) -> Markup {
        Parts.tag("worse", "bad", if: change?.factor != nil)
        Parts.tag("back", "bad", if: change?.gap != nil)
    }

    private func report(_ id: String) -> Markup? {
        guard !id.isEmpty else { return nil }
        return element("span", .class("report hint")) {
            if let reportAddress {
                element("a", Attribute("href", reportAddress.replacing("{uuid}", with: id))) { id }
            } else {
                Parts.code(id)
            }
        }
    }

    var top: Markup? {
        guard !week.signatures.isEmpty else { return nil }
        return Parts.section(
            "signatures", "Top signatures",
            note: "Below each signature is the id of its latest report, for dump-convert show."
        ) {
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
                            Self.name(signature.program, signature.text)
                            Parts.tag("new", "doubt", if: signature.isNew)
                            tags(week.change(of: signature))
                            report(signature.reportID)
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
            Self.more(week.signatureCount - week.signatures.count, "signatures")
        }
    }

    var new: Markup? {
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
                                Self.name(signature.program, signature.text)
                                report(signature.reportID)
                            }
                            TimeSection.amount(signature.crashCount)
                            TimeSection.amount(signature.hostCount)
                            element("td", .class("when")) {
                                TimeSection.stamp(signature.first.minute)
                            }
                            element("td") {
                                Self.shortened(FleetWords.version(signature.firstVersion))
                            }
                        }
                    }
                }
                Self.more(count - week.newSignatures.count, "signatures")
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
