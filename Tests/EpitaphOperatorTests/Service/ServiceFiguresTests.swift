// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphService

@Suite("The service's figures for Prometheus")
struct ServiceFiguresTests {
    private let time = Timestamp(secondsSince1970: 1_000)

    private func text(_ figures: ServiceFigures) -> String {
        figures.text(start: time, now: time + 5)
    }

    @Test("Counters go on where an earlier run has left them, whatever is in a label")
    func continued() {
        let bundleID = "odd \"name\" \\ with = and , and }\nline"
        let first = ServiceFigures()
        first.add(.filed(kind: "crash"), bundleID: bundleID, in: "/srv/db")
        first.add(.sendFailed(reason: "transport"), count: 2, bundleID: "", in: "/srv/db")
        let second = ServiceFigures(continuing: text(first))
        #expect(text(second) == text(first))
        second.add(.filed(kind: "crash"), bundleID: bundleID, in: "/srv/db")
        let lines = text(second).split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("epitaph_reports_filed_total{") && $0.hasSuffix(" 2") })
    }

    @Test("A file that is torn or someone else's adds nothing that it does not say")
    func torn() {
        let text = """
            epitaph_reports_sent_total{database="/a"} 3
            epitaph_reports_sent_total{database="/b
            other_total{database="/a"} 9
            epitaph_reports_sent_total{database="/c"} nan
            """
        let figures = self.text(ServiceFigures(continuing: text))
        #expect(figures.contains("epitaph_reports_sent_total{database=\"/a\"} 3\n"))
        #expect(!figures.contains("/b"))
        #expect(!figures.contains("/c"))
        #expect(!figures.contains("other_total"))
    }

    @Test("Each sample's family is described before it, and no line has a time")
    func form() {
        let figures = ServiceFigures()
        var contents = ServiceFigures.Contents()
        contents.reports[.init(program: "/usr/bin/a", kind: "crash", state: "pending")] = 2
        contents.waiting = 2
        contents.bytes = 10
        contents.oldestWaiting = time
        contents.lastSuccess = time
        figures.set(contents, of: "/srv/db")
        let text = text(figures)
        #expect(text.hasSuffix("\n"))
        var described: Set<Substring> = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                described.insert(line.split(separator: " ")[2])
            } else if !line.hasPrefix("#") {
                #expect(described.contains(line.prefix { $0 != "{" && $0 != " " }))
            }
        }
        #expect(text.contains("epitaph_service_heartbeat_time_seconds 1005\n"))
        #expect(text.contains("epitaph_last_sent_time_seconds{database=\"/srv/db\"} 1000\n"))
        #expect(text.contains("state=\"pending\"} 2\n"))
    }

    @Test("Any number of programs does not make any number of samples")
    func bounded() {
        let figures = ServiceFigures()
        for number in 0..<6_000 {
            figures.add(.conversionFailed, bundleID: "p\(number)", in: "/srv/db")
        }
        let lines = text(figures).split(separator: "\n").filter {
            $0.hasPrefix("epitaph_conversion_failures_total{")
        }
        #expect(lines.count <= 5_001)
        #expect(lines.contains("epitaph_conversion_failures_total{database=\"\"} 1000"))
    }
}
