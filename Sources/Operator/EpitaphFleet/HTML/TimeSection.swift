// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues

enum TimeSection {
    static func markup(_ week: FleetWeek) -> Markup? {
        let title = "Crashes per \(week.span.stepWords)"
        guard week.crashCount > 0 else {
            return Parts.section("crashes", title) {
                element("p", .class("unknown")) { "No crash is known in this time." }
            }
        }
        return Parts.section(
            "crashes", title,
            note:
                "The signatures below stand on each other, the first at the bottom. Times are in UTC."
        ) {
            element("figure", .class("chart")) {
                element(
                    "div", .class("scroll"), Attribute("role", "region"),
                    Attribute("aria-label", "Picture of the crashes"), Attribute("tabindex", "0")
                ) { BarChart(week).markup(label: label(week)) }
                element("figcaption") { legend(week) }
            }
            Parts.folded(Markup(text: "The same as a table")) { numbers(week) }
        }
    }

    private static func label(_ week: FleetWeek) -> String {
        let most = week.perStep.max() ?? 0
        let step = week.perStep.firstIndex(of: most) ?? 0
        return "Bars of the crashes per \(week.span.stepWords). The most are \(most.grouped), at "
            + "\(UTCTime.text(week.span.start(ofStep: step))). A table with all numbers follows."
    }

    private static func legend(_ week: FleetWeek) -> Markup {
        let others = week.othersPerStep(besides: BarChart.mostColours).reduce(0, +)
        return element("ol", .class("legend")) {
            for (index, signature) in week.signatures.prefix(BarChart.mostColours).enumerated() {
                element("li") {
                    element("span", .class("swatch \(BarChart.colour(index))"))
                    SignatureSection.name(signature.program, signature.text, longest: 120)
                    Parts.hint(signature.crashCount.grouped)
                }
            }
            if let before = week.before {
                element("li") {
                    element("span", .class("swatch shadow"))
                    "The \(week.span.beforeWords), in the background "
                    Parts.hint(before.crashCount.grouped)
                }
            }
            for release in BarChart.releases(week) {
                element("li") {
                    element("span", .class("swatch")) { "┆" }
                    SignatureSection.name(release.program, FleetWords.version(release.version))
                    Parts.hint("from " + stamp(release.first.minute))
                }
            }
            if others > 0 {
                element("li") {
                    element("span", .class("swatch rest"))
                    "All others "
                    Parts.hint(others.grouped)
                }
            }
        }
    }

    private static func numbers(_ week: FleetWeek) -> Markup {
        let shown = week.signatures.prefix(BarChart.mostColours)
        let others = week.othersPerStep(besides: BarChart.mostColours)
        let headings =
            ["From (UTC)", "All"] + shown.indices.map { "\($0 + 1)" } + ["Others"]
        return MarkupBuilder.buildArray([
            element("p", .class("note")) {
                "The numbered columns are the signatures in the order above. "
                    + "Times without a crash are left out."
            },
            Parts.table("Crashes per \(week.span.stepWords)", class: "numbers", headings: headings)
            {
                for (step, count) in week.perStep.enumerated() where count > 0 {
                    Parts.row(stamp(week.span.start(ofStep: step))) {
                        amount(count)
                        for signature in shown { amount(signature.perStep[step]) }
                        amount(others[step])
                    }
                }
            },
        ])
    }

    static func amount(_ number: Int) -> Markup {
        element("td", .class("amount")) { number.grouped }
    }

    static func stamp(_ time: Timestamp) -> String {
        let words = UTCTime.text(time)
        return words.hasSuffix(":00 UTC") ? String(words.dropLast(7)) : words
    }
}
