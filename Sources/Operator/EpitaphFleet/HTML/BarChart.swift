// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues

/// Stacked bars, one for each step of a span: the most frequent signatures, and all others on top.
struct BarChart {
    /// Signatures with a colour of their own; the style sheet has these and one for the rest.
    static let mostColours = 7

    private let week: FleetWeek
    private let scale: ChartScale
    /// From the bottom up.
    private let layers: [(colour: String, perStep: [Int])]

    init(_ week: FleetWeek) {
        self.week = week
        scale = ChartScale(
            most: max(week.perStep.max() ?? 0, week.before?.perStep.max() ?? 0),
            stepCount: week.span.stepCount)
        let named = week.signatures.prefix(Self.mostColours).enumerated().map { index, signature in
            (colour: Self.colour(index), perStep: signature.perStep)
        }
        layers = named + [("rest", week.othersPerStep(besides: Self.mostColours))]
    }

    static func colour(_ index: Int) -> String { index < mostColours ? "s\(index + 1)" : "rest" }

    func markup(label: String) -> Markup {
        element(
            "svg", .class("bars"), Attribute("role", "img"), Attribute("aria-label", label),
            Attribute("viewBox", "0 0 \(ChartScale.width) \(ChartScale.height)")
        ) {
            lines
            times
            shadow
            bars
            releases
            if week.span.stepCount <= WeekSpan.mostSteps { hints }
        }
    }

    @MarkupBuilder
    private var lines: Markup {
        for tick in scale.ticks {
            let y = ChartScale.units(scale.y(tick))
            element(
                "path", .class(tick == 0 ? "ground" : "level"),
                Attribute("d", "M\(ChartScale.units(scale.x(ofStep: 0))) \(y)H\(ChartScale.width)"))
            element(
                "text", .class("level-text"), Attribute("x", "48"),
                Attribute("y", ChartScale.units(scale.y(tick) + 40))
            ) { tick.grouped }
        }
    }

    @MarkupBuilder
    private var times: Markup {
        for tick in TimeTicks(week.span).ticks {
            element(
                "text", .class("time-text"),
                Attribute("x", ChartScale.units(scale.x(ofStep: tick.step))),
                Attribute("y", "292")
            ) { tick.text }
        }
    }

    /// The time before, behind the bars.
    private var shadow: Markup? {
        guard let before = week.before, before.crashCount > 0 else { return nil }
        var outline = "M\(ChartScale.units(scale.x(ofStep: 0))) \(ChartScale.units(scale.y(0)))"
        for (step, count) in before.perStep.enumerated() {
            outline +=
                "V\(ChartScale.units(scale.y(count)))"
                + "H\(ChartScale.units(scale.x(ofStep: step + 1)))"
        }
        outline += "V\(ChartScale.units(scale.y(0)))z"
        return element("path", .class("shadow"), Attribute("d", outline))
    }

    /// The first crashes of new releases, those with the most crashes.
    static func releases(_ week: FleetWeek) -> [FleetWeek.Release] {
        Array(week.newReleases.prefix(5))
    }

    @MarkupBuilder
    private var releases: Markup {
        for release in Self.releases(week) {
            let x = ChartScale.units(scale.x(ofStep: week.span.step(of: release.first) ?? 0))
            let name =
                FleetWords.program(release.program) + " "
                + FleetWords.version(release.version)
            element("path", .class("release"), Attribute("d", "M\(x) 10V270")) {
                element("title") { "\(name): first crash \(UTCTime.text(release.first))" }
            }
        }
    }

    private var bars: Markup {
        var below = week.perStep.map { _ in 0 }
        var all: [Markup] = []
        for layer in layers {
            var outline = ""
            for (step, count) in layer.perStep.enumerated() where count > 0 {
                outline += bar(step, from: below[step], to: below[step] + count)
                below[step] += count
            }
            guard !outline.isEmpty else { continue }
            all.append(element("path", .class("bar \(layer.colour)"), Attribute("d", outline)))
        }
        return MarkupBuilder.buildArray(all)
    }

    private func bar(_ step: Int, from low: Int, to high: Int) -> String {
        let left = scale.x(ofStep: step)
        let width = scale.x(ofStep: step + 1) - left
        let gap = width >= 25 ? width / 5 : 0
        let top = scale.y(min(high, scale.most))
        let bottom = scale.y(min(low, scale.most))
        return "M\(ChartScale.units(left + gap / 2)) \(ChartScale.units(bottom))"
            + "V\(ChartScale.units(top))h\(ChartScale.units(width - gap))"
            + "V\(ChartScale.units(bottom))z"
    }

    @MarkupBuilder
    private var hints: Markup {
        for (step, count) in week.perStep.enumerated() where count > 0 {
            let left = scale.x(ofStep: step)
            element(
                "rect", .class("hint-area"), Attribute("x", ChartScale.units(left)),
                Attribute("y", "10"),
                Attribute("width", ChartScale.units(scale.x(ofStep: step + 1) - left)),
                Attribute("height", "260")
            ) {
                element("title") {
                    UTCTime.text(week.span.start(ofStep: step)) + ": "
                        + counted(count, "crash", "crashes")
                }
            }
        }
    }
}

/// As high as a row of a table. Its maximum is also said in words.
enum Sparkline {
    private static let width = 1_200
    private static let height = 240

    static func markup(_ perStep: [Int], span: WeekSpan) -> Markup {
        element(
            "svg", .class("spark"), Attribute("role", "img"),
            Attribute("aria-label", words(perStep, span)), Attribute("viewBox", "0 0 120 26")
        ) {
            element("path", Attribute("d", outline(perStep)))
        }
    }

    private static func outline(_ perStep: [Int]) -> String {
        let most = max(perStep.max() ?? 0, 1)
        let count = max(perStep.count, 1)
        var outline = "M0.0 25.0"
        for (step, number) in perStep.enumerated() {
            let share = Double(number) / Double(most)
            // Keep anything above zero visible.
            let rise = number == 0 ? 0 : max(Int(share * Double(height)), 10)
            outline +=
                "V\(ChartScale.units(250 - rise))H\(ChartScale.units(width * (step + 1) / count))"
        }
        return outline + "V25.0z"
    }

    private static func words(_ perStep: [Int], _ span: WeekSpan) -> String {
        guard let most = perStep.max(), most > 0, let step = perStep.firstIndex(of: most) else {
            return "no crash"
        }
        return "most in one step: \(most.grouped), at \(UTCTime.text(span.start(ofStep: step)))"
    }
}
