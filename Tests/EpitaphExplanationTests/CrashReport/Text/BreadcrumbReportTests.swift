// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// What reports make of breadcrumbs.
@Suite struct BreadcrumbReportTests {
    private func timed(
        _ time: UInt64, uptime: UInt64?, end: Double?, endUptime: UInt64?
    ) -> TimedBreadcrumb {
        var process = ProcessFacts()
        process.snapshotTime = end.map { Timestamp(secondsSince1970: $0) }
        process.uptimeNanoseconds = endUptime.map { $0 * 1_000_000_000 }
        return TimedBreadcrumb(
            Breadcrumb(
                number: 1, timeNanoseconds: time * 1_000_000_000,
                uptimeNanoseconds: uptime.map { $0 * 1_000_000_000 }, message: ""),
            in: process)
    }

    @Test(
        "How long before the crash comes from the clock that cannot be set, if it is there",
        arguments: [
            (100, 10, 105, 15, "5.000 s before", 100, false),
            // The clock was set forward, back, and to 1970, in between.
            (100, 10, 4000, 15, "5.000 s before", 3995, true),
            (9000, 10, 105, 15, "5.000 s before", 100, true),
            (0, 10, 1_787_368_447, 15, "5.000 s before", 1_787_368_442, true),
            // Noted while the dump was being written.
            (106, 16, 105, 15, "1.000 s after", 106, false),
            // Only one clock, or none at the end.
            (100, nil, 105, 15, "5.000 s before", 100, false),
            (100, 10, 105, nil, "5.000 s before", 100, false),
            (106, nil, 105, nil, "1.000 s after", 106, false),
            (100, 10, nil, 15, "5.000 s before", 100, false),
            (100, 10, nil, nil, nil, 100, false),
        ] as [(UInt64, UInt64?, Double?, UInt64?, String?, Double, Bool)])
    func spans(
        time: UInt64, uptime: UInt64?, end: Double?, endUptime: UInt64?, words: String?,
        place: Double, isClockDifferent: Bool
    ) {
        let timed = timed(time, uptime: uptime, end: end, endUptime: endUptime)
        #expect(timed.spanWords == words)
        #expect(timed.time.secondsSince1970 == place)
        #expect((timed.clockWords != nil) == isClockDifferent)
    }

    @Test("Times at their ends are words too")
    func edges() {
        for (time, uptime) in [(UInt64.max, UInt64.max), (0, .max), (.max, 0)] {
            for end in [Double.infinity, .nan, -1e300, 0] {
                var process = ProcessFacts()
                process.snapshotTime = Timestamp(secondsSince1970: end)
                process.uptimeNanoseconds = uptime
                let breadcrumb = Breadcrumb(
                    number: 1, timeNanoseconds: time, uptimeNanoseconds: UInt64.max - uptime,
                    message: "")
                let timed = TimedBreadcrumb(breadcrumb, in: process)
                #expect(timed.spanWords?.hasSuffix(uptime == 0 ? " after" : " before") == true)
            }
        }
    }

    @Test("The text has the latest first, each with how long before, level, category and message")
    func text() {
        let text = Sample.text(Sample.everything())
        #expect(
            text.contains(
                """
                Breadcrumbs, the latest first:
                      0.001 s after  debug    late: noted meanwhile
                     1.000 s before  error    sql: lost\\nthe connection \
                (the clock said 2026-08-22 02:14:06 UTC then)
                     2.300 s before  warning  http: GET /orders took 3 s (cut)
                  8 min 20 s before  info     the clock alone knows

                """), "\(text)")
    }

    private func crash(breadcrumbs count: UInt64) -> CrashExplanation {
        var snapshot = Sample.crash()
        snapshot.breadcrumbs = (0..<count).map {
            Breadcrumb(
                number: $0 + 1, timeNanoseconds: (1_787_368_000 + $0) * 1_000_000_000,
                message: "step \($0 + 1)")
        }
        return CrashExplanation(snapshot, stacks: [])
    }

    @Test("A person who looks at one thread sees the last few, with all threads all of them")
    func most() throws {
        let explanation = crash(breadcrumbs: 64)
        let few = TextReport(explanation, threads: .crashing).lines
        let all = TextReport(explanation).lines
        func steps(_ lines: [String]) -> Set<String> {
            Set(lines.filter { $0.contains(": step ") || $0.contains("info") })
        }
        #expect(all.contains { $0.hasSuffix("step 1") })
        #expect(few.contains { $0.hasSuffix("step 45") })
        #expect(!few.contains { $0.hasSuffix("step 44") })
        #expect(few.contains("  … 44 earlier ones, not shown"))
        #expect(steps(all).count == 64)
        // The first screen has the latest of them and says where the others are.
        let screen = TextReport(explanation, form: .init(width: 80, hasColour: false)).lines
            .prefix(FirstScreen.height)
        #expect(screen.contains { $0.hasSuffix("step 64") })
        #expect(screen.contains { $0.contains("more lines of these breadcrumbs; all of it below") })
    }

    @Test("The JSON has them in order, with both clocks' words")
    func json() throws {
        let text = JSONReport(Sample.everythingExplained()).text
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let breadcrumbs = try #require(report["breadcrumbs"] as? [[String: Any]])
        #expect(breadcrumbs.map { $0["number"] as? Int } == [2, 3, 4, 5])
        #expect(breadcrumbs[1]["time"] as? String == "2026-08-22T03:14:05.200Z")
        #expect(breadcrumbs[1]["uptimeSeconds"] as? Double == 600.200000001)
        #expect(breadcrumbs.map { $0["secondsBefore"] as? Double } == [500, 2.3, 1, -0.001])
        #expect(
            breadcrumbs.map { $0["level"] as? String } == ["info", "warning", "error", "debug"])
        #expect(breadcrumbs[2]["message"] as? String == "lost\nthe connection")
        #expect(breadcrumbs[0]["category"] == nil)
        #expect(breadcrumbs.map { $0["isCut"] as? Bool } == [false, true, false, false])
    }

    @Test("The time line of the page has them where they belong, whatever the clock said")
    func page() throws {
        let page = HTMLReport(Sample.everythingExplained()).text
        let line = try #require(page.firstRange(of: "<ol class=\"time-line\">"))
        let rest = page[line.upperBound...]
        let text = rest[..<(try #require(rest.firstRange(of: "</ol>")).lowerBound)]
        let events = [
            "The process started", "the clock alone knows", "trail: opened the ledger",
            "GET /orders took 3 s", "trail: began to pay out", "lost\\nthe connection",
            "It crashed", "noted meanwhile",
        ]
        let places = try events.map { event in
            try #require(text.firstRange(of: event), "\(event)").lowerBound
        }
        #expect(places == places.sorted())
        #expect(text.contains("<li class=\"breadcrumb warning\">"))
        #expect(
            text.contains(
                "<span class=\"before\">2.300 s before</span><span class=\"event\">"
                    + "<span class=\"tag doubt\">warning</span> <b>http</b> GET /orders took 3 s "
                    + "<span class=\"tag\">cut</span>"))
        #expect(text.contains("<span class=\"before\">0.001 s after</span>"))
        #expect(
            text.contains(
                "<span class=\"hint\">the clock said 2026-08-22 02:14:06 UTC then</span>"))
    }

    @Test("A full ring is on the page, and one beyond all bounds is cut")
    func crowded() {
        let full = HTMLReport(crash(breadcrumbs: 1024)).text
        #expect(full.contains("> step 1</span>") && !full.contains("earlier events"))
        let more = HTMLReport(crash(breadcrumbs: 3000)).text
        #expect(more.contains("1,802 more earlier events are left out here"))
        #expect(!more.contains("> step 1</span>") && more.contains("> step 3000</span>"))
    }
}
