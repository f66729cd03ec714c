// SPDX-License-Identifier: Apache-2.0

import EpitaphPages

/// A week of crashes as one HTML page, without network, scripts or other files.
package struct FleetPage: Sendable {
    let week: FleetWeek
    let source: String
    /// Restrictions of the numbers, as sentences, for example what could not be read.
    let remarks: [String]
    let reportAddress: String?

    /// The work is done when the text or the pieces are read.
    package init(
        _ week: FleetWeek, source: String, remarks: [String] = [], reportAddress: String? = nil
    ) {
        self.week = week
        self.source = source
        self.remarks = remarks
        self.reportAddress = reportAddress
    }

    package var text: String { pieces.joined() }

    package var pieces: [String] {
        let signatures = SignatureSection(week: week, reportAddress: reportAddress)
        let sections: [PageSection?] = [
            .init(
                "changes", "What got worse", count: week.changes.count,
                signatures.changes),
            .init("crashes", "Crashes per \(week.span.stepWords)", TimeSection.markup(week)),
            .init(
                "signatures", "Top signatures", count: week.signatureCount,
                signatures.top),
            .init(
                "new", "New signatures", count: week.newSignatureCount, signatures.new),
            .init(
                "memory", "Memory errors",
                count: week.memoryErrors.isEmpty
                    ? nil : week.memoryErrors.reduce(0) { $0 + $1.reportCount },
                PlaceSection.memoryErrors(week)),
            .init("releases", "Releases", count: week.releaseCount, PlaceSection.releases(week)),
            .init("hosts", "Hosts", count: week.hostCount, PlaceSection.hosts(week)),
            .init(
                "other", "Other reports",
                count: week.otherKinds.isEmpty
                    ? nil : week.otherKinds.reduce(0) { $0 + $1.reportCount },
                PlaceSection.otherKinds(week)),
            .init("limits", "What to know of the numbers", limits),
        ]
        return PageDocument(
            title: "\(week.headline), \(week.spanWords)", subject: "overview", masthead: masthead,
            sections: sections.compactMap(\.self), furtherStyle: FleetStyleSheet.markup
        ).pieces
    }

    @MarkupBuilder
    private var masthead: Markup {
        element("p", .class("eyebrow")) {
            Parts.time(week.span.start)
            " to "
            Parts.time(week.span.end)
        }
        element("h1") { week.headline }
        element("p", .class("lead")) { week.changeWords }
        Parts.facts(week.facts.map { ($0.label, Markup(text: $0.value)) })
    }

    private var limits: Markup {
        Parts.section("limits", "What to know of the numbers") {
            element("ul", .class("remarks")) {
                let sources = ["The numbers are from \(source)."]
                for remark in remarks + week.remarks + week.stepRemarks + sources {
                    element("li") { remark }
                }
            }
        }
    }
}
