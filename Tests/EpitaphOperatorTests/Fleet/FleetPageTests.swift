// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Scripts/html-check asks a browser about the same pages.
@Suite struct FleetPageTests {
    private static let until = Timestamp(secondsSince1970: 1_795_392_000)  // 2026-11-23

    private func page(_ sightings: [Sighting], hours: Double = 168, _ text: String = "a test")
        throws
        -> String
    {
        let span = try #require(
            WeekSpan(since: Self.until.adding(seconds: -hours * 3_600), until: Self.until))
        var tally = WeekTally(span)
        for sighting in sightings { tally.add(sighting) }
        return FleetPage(tally.week(), source: text, remarks: [text]).text
    }

    @Test("The page begins with what changed, and leads to the reports")
    func changes() throws {
        let old = (0..<4).map { crash(170 + Double($0), "a", host: "h\($0)") }
        let now = (0..<60).map { crash(1 + Double($0), "a", version: "2", host: "h\($0 % 9)") }
        let span = try #require(
            WeekSpan(since: Self.until.adding(seconds: -168 * 3_600), until: Self.until))
        var tally = WeekTally(span)
        for sighting in old + now + [crash(400, "a")] { tally.add(sighting) }
        let page = FleetPage(
            tally.week(), source: "a test", reportAddress: "https://r.example/?id={uuid}&x=1"
        ).text
        let latest = try #require(now.first).id
        #expect(page.contains(#"<p class="lead">Crashes per host that reported: 0.44 in the week"#))
        #expect(page.matches(of: #/<span class="tag bad">worse<\/span>/#).count == 2)
        #expect(page.contains("15 times as often"))
        #expect(
            page.contains(#"<a href="https://r.example/?id=\#(latest)&amp;x=1">\#(latest)</a>"#))
        #expect(page.contains(#"<path class="shadow" d="M"#))
        #expect(page.matches(of: #/<path class="release" d="M/#).count == 1)
    }

    private func crash(
        _ hours: Double, _ signature: String, version: String = "1", host: String = "h"
    ) -> Sighting {
        Sighting(
            id: Epitaph.ID(), time: Self.until.adding(seconds: -hours * 3_600), host: host,
            program: "p", version: version, signature: signature, signatureID: signature)
    }

    private func crash(_ hours: Double, _ text: String) -> Sighting {
        Sighting(
            id: Epitaph.ID(), time: Self.until.adding(seconds: -hours * 3_600), host: text,
            program: text, version: text, signature: text, signatureID: text)
    }

    @Test("Memory errors have a section of their own, if there are any")
    func memoryErrors() throws {
        let errors = ["double-free a", "use-after-free b", "use-after-free c"]
        let page = try page(errors.map { crash(1, $0, version: "1") })
        let section = try #require(page.firstMatch(of: #/(?s)<section id="memory".*?<\/section>/#))
        let words = section.output.replacing(#/<[^>]*>/#, with: " ").split { $0.isWhitespace }
            .joined(separator: " ")
        #expect(words.contains("use-after-free 2 1 2 double-free 1 1 1"), "\(words)")
        #expect(try !self.page([crash(1, "abort", version: "1")]).contains("Memory errors"))
    }

    @Test("Nothing that a report says becomes a tag or an attribute")
    func hostile() throws {
        let texts = HostileSnapshot.texts
        let page = try page(
            texts.flatMap { [crash(5, $0), crash(500, "other"), crash(6, $0)] }, texts[0])
        let names = Set(page.matches(of: #/<\/?([^\s>]*)/#).map { String($0.output.1) })
        #expect(
            names.subtracting([
                "!DOCTYPE", "a", "b", "body", "code", "dd", "details", "div", "dl", "dt",
                "figcaption", "figure", "footer", "h1", "h2", "head", "header", "html", "li",
                "main", "meta", "nav", "ol", "p", "path", "rect", "section", "span", "style",
                "summary", "svg", "table", "tbody", "td", "text", "th", "thead", "time", "title",
                "tr", "ul",
            ]) == [])
        for tag in page.matches(of: #/<[a-z][^>]*>/#) {
            let rest = tag.output.replacing(#/ [a-zA-Z-]+="[^"<>]*"/#, with: "")
            #expect(rest.wholeMatch(of: #/<[a-z0-9]+>/#) != nil, "\(tag.output)")
            #expect(!tag.output.contains(#/ on[a-z]+=/#), "\(tag.output)")
        }
        #expect(
            page.unicodeScalars.allSatisfy {
                $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
            })
    }

    @Test("A week without a crash says so, and has no empty tables")
    func empty() throws {
        let page = try page([])
        #expect(page.contains("<h1>No crashes</h1>"))
        #expect(page.contains("No crash is known in this time."))
        #expect(!page.contains("<table") && !page.contains("<svg"))
    }

    @Test("One crash of which nothing is known is drawn, named so, and not called new")
    func one() throws {
        let page = try page([
            Sighting(id: Epitaph.ID(), time: Self.until.adding(seconds: -7_200))
        ])
        #expect(page.contains("<h1>1 crash on 1 host</h1>"))
        for words in ["(no program)", "(no signature)", "(no version)", "(no host name)"] {
            #expect(page.contains(words))
        }
        #expect(!page.contains(#"<span class="tag doubt">"#))
        #expect(page.contains("no signature can be called new"))
    }

    @Test("A signature of a megabyte makes no page of one")
    func long() throws {
        let text = String(repeating: "Array<Dictionary<", count: 60_000)
        let page = try page([crash(1, text), crash(2, "a")])
        #expect(page.utf8.count < 400_000)
        #expect(page.contains("…"))
    }

    @Test("Bars are inside of the picture, whatever the numbers", arguments: [1, 7, 168, 2_160])
    func inside(_ hours: Int) throws {
        let sightings = (0..<2_000).map { index in
            crash(Double(index % (hours * 10)) / 10 + 0.01, "\(index % 9)")
        }
        let page = try page(sightings, hours: Double(hours))
        let numbers = page.matches(of: #/[MVHh ](\d+\.\d)/#).compactMap { Double($0.output.1) }
        #expect(numbers.count > 10 && numbers.allSatisfy { (0...1_000).contains($0) })
        let heights = page.matches(of: #/class="bar [a-z0-9]+" d="([^"]*)"/#).flatMap { match in
            match.output.1.matches(of: #/V(\d+\.\d)/#).compactMap { Double($0.output.1) }
        }
        #expect(!heights.isEmpty && heights.allSatisfy { (10...270).contains($0) })
    }

    @Test("The table beside the picture has the numbers of the bars")
    func table() throws {
        let page = try page([crash(1.5, "a"), crash(1.6, "a"), crash(1.7, "b"), crash(200, "b")])
        #expect(
            page.contains(
                #"<th scope="row">2026-11-22 22:00</th><td class="amount">3</td>"#
                    + #"<td class="amount">2</td><td class="amount">1</td>"#
                    + #"<td class="amount">0</td>"#))
    }

    @Test("What is new has a mark, and where nothing earlier is known nothing has")
    func marks() throws {
        let known = try page([crash(1, "a"), crash(200, "b"), crash(2, "b")])
        #expect(known.matches(of: #/<span class="tag doubt">new<\/span>/#).count == 2)
        let unknown = try page([crash(1, "a"), crash(2, "b")])
        #expect(!unknown.contains(#"<span class="tag doubt">new"#))
    }
}
