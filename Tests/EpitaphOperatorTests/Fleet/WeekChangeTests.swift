// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphFleet

/// Scripts/fleet-questions compares the same with counts of its own and with two engines.
@Suite("What changed since the week before")
struct WeekChangeTests {
    private static let until = Timestamp(secondsSince1970: 1_795_392_000)  // 2026-11-23
    private static let hour = 3_600.0

    /// `hours` before the end of the week.
    private func crash(
        _ hours: Double, _ signature: String, host: Int = 1, version: String = "1",
        said: Timestamp? = nil
    ) -> Sighting {
        let time = Self.until.adding(seconds: -hours * Self.hour)
        return Sighting(
            id: Epitaph.ID(), time: said ?? time, arrived: time.adding(seconds: 60),
            host: "web-\(host)", program: "exampled", version: version, kind: "crash",
            signature: "died in \(signature)", signatureID: signature)
    }

    /// So many crashes at distinct hours of the week on as many of ten hosts; those of the week
    /// before with `weeks` 1.
    private func crashes(
        _ count: Int, _ signature: String, weeks: Int = 0, hosts: Int = 10, version: String = "1"
    ) -> [Sighting] {
        (0..<count).map { index in
            crash(
                Double(weeks * 168) + Double(index % 160) + 1.5, signature, host: index % hosts,
                version: version)
        }
    }

    private let long = 400.0

    private func week(
        _ sightings: [Sighting], days: Double = 7, hours: [String: FleetWeek.Running] = [:]
    ) throws -> FleetWeek {
        let span = try #require(
            WeekSpan(since: Self.until.adding(seconds: -days * 24 * Self.hour), until: Self.until))
        var tally = WeekTally(span)
        for sighting in sightings { tally.add(sighting) }
        return tally.week(hours: hours)
    }

    @Test("What crashes ten times as often is worse, and what crashes as before is not")
    func worse() throws {
        var all = [crash(long, "old")]
        all += crashes(6, "a", weeks: 1) + crashes(60, "a")
        all += crashes(40, "b", weeks: 1) + crashes(44, "b")
        all += crashes(30, "new")
        let week = try week(all)
        #expect(week.changes.map(\.identifier) == ["a"])
        let change = try #require(week.changes.first)
        #expect(change.factor == 10 && change.gap == nil && change.crashCountBefore == 6)
        #expect(week.before?.crashCount == 46 && week.before?.perStep.reduce(0, +) == 46)
        #expect(
            week.changeWords
                == "Crashes per host that reported: 4.6 in the week before, 13 now; 1 new, 1 worse "
                + "(10 times as often).")
    }

    @Test("One machine makes nothing worse, unless there is no other")
    func oneMachine() throws {
        let sick = crashes(150, "a", hosts: 1)
        let old = [crash(long, "a")]
        #expect(try week(old + sick + [crash(5, "b", host: 7)]).changes.isEmpty)
        #expect(try week(old + sick).changes.map(\.factor) == [.infinity])
    }

    @Test("Many crashes within an hour of a host are one hour")
    func burst() throws {
        let burst = (0..<500).map { crash(3 + Double($0) / 1_000, "a", host: $0 % 3) }
        #expect(try week([crash(long, "a")] + crashes(4, "a", weeks: 1) + burst).changes.isEmpty)
    }

    @Test("Twice as many running hours explain twice as many crashes")
    func running() throws {
        let sightings = [crash(long, "a")] + crashes(60, "a", weeks: 1) + crashes(125, "a")
        #expect(try week(sightings).worseCount == 1)
        let hours = FleetWeek.Running(now: 2_000, before: 1_000)
        let week = try week(sightings, hours: ["exampled": hours])
        #expect(week.worseCount == 0 && week.running == hours)
        #expect(
            week.changeWords
                == "Crashes per host and 1,000 running hours: 60 in the week before, 63 now; "
                + "nothing is new, back or worse.")
        #expect(try self.week(sightings, hours: ["other": hours]).running == nil)
    }

    @Test("What a release lacked is back, if that is no chance")
    func back() throws {
        func earlier(_ count: Int, _ signature: String, from hours: Double, _ version: String)
            -> [Sighting]
        {
            (0..<count).map { index in
                crash(hours + Double(index), signature, host: index % 9, version: version)
            }
        }
        func releases(_ seen: Int) -> [Sighting] {
            var all = earlier(seen, "a", from: 500, "1")
            all += earlier(80, "b", from: 500, "1")
            all += earlier(80, "b", from: 200, "2")
            all += crashes(9, "a", version: "3")
            all += crashes(20, "b", version: "3")
            return all
        }
        let found = try week(releases(40))
        #expect(found.changes.first?.gap == .init(goneIn: "2", backIn: "3"))
        #expect(found.changes.map(\.identifier) == ["a"])
        // One of 81 may well be absent from 80.
        #expect(try week(releases(1)).backCount == 0)
        // It was back before the week.
        #expect(try week(releases(40) + [crash(190, "a", version: "3")]).backCount == 0)
    }

    /// What clocks say that were never set, are five weeks behind, or two weeks ahead.
    private static let wrong: [Timestamp] = [
        Timestamp(secondsSince1970: 40), until.adding(seconds: -36 * 24 * hour),
        until.adding(seconds: 13 * 24 * hour),
    ]

    @Test("No wrong clock makes a signature worse or back, or hides that it is", arguments: wrong)
    func wrongClocks(said: Timestamp) throws {
        var right = [crash(900, "a")]
        right += crashes(6, "a", weeks: 1)
        right += crashes(60, "a", version: "2")
        right += crashes(20, "b", weeks: 1)
        let wrong = (0..<50).map { index in
            crash(5, ["a", "b", "c"][index % 3], host: 90, version: "2", said: said)
        }
        let (expected, found) = (try week(right), try week(wrong + right))
        #expect(expected.worseCount == 1 && found.changes == expected.changes)
        #expect(found.changeWords == expected.changeWords && found.before == expected.before)
        #expect(found.doubtfulCount == 50)
    }

    @Test("What does not reach back two weeks tells nothing about the week before")
    func notKnown() throws {
        let week = try week([crash(300, "a")] + crashes(60, "a"))
        #expect(week.before == nil && week.changes.isEmpty)
        #expect(week.changeWords == "It is not known how much crashed in the week before.")
    }

    @Test(
        "A span is compared with the same hours of earlier days, and with nothing of itself",
        arguments: [(0.25, 24.0), (1, 24), (7, 168), (7.02, 168), (30, 720)])
    func span(days: Double, hoursBefore: Double) throws {
        let span = try #require(
            WeekSpan(since: Self.until.adding(seconds: -days * 24 * Self.hour), until: Self.until))
        let before = span.before
        #expect(before.lowerBound == span.start.adding(seconds: -hoursBefore * Self.hour))
        #expect(before.upperBound <= span.start && !before.isEmpty)
        #expect(span.stepAfter(before.lowerBound) == 0)
        #expect(span.stepAfter(span.start) == nil)
    }

    @Test("The bound is above the p-value, and close to it", arguments: [(12, 1), (30, 9), (8, 0)])
    func bound(now: Int, before: Int) {
        let all = now + before
        func ways(_ hits: Int) -> Double {
            exp(lgamma(Double(all + 1)) - lgamma(Double(hits + 1)) - lgamma(Double(all - hits + 1)))
        }
        let value = (now...all).reduce(0) { $0 + ways($1) } / pow(2, Double(all))
        let bound = exp(ChangeTest.logarithm(now: now, before: before, share: 0.5))
        #expect(value <= bound * 1.000001 && bound < value * 8)
    }

    @Test("Figures have two digits that count")
    func figures() {
        let shown = [0, 0.00314, 0.0996, 0.5, 1.04, 9.949, 9.96, 12.4, 1_204.4, .nan]
            .map(FleetWords.figure)
        #expect(
            shown == ["0", "0.0031", "0.1", "0.5", "1", "9.9", "10", "12", "1,204", "-"])
    }

    @Test(
        "An alert is about what it names",
        arguments: [
            ("new", ["new in 1: exampled: died in n"]),
            ("worse", ["worse, 10 times as often: exampled: died in a"]),
            ("worse=10x", ["worse, 10 times as often: exampled: died in a"]),
            ("worse=11", []), ("back", []),
            (
                "new,worse=3x",
                [
                    "new in 1: exampled: died in n",
                    "worse, 10 times as often: exampled: died in a",
                ]
            ),
        ])
    func alert(text: String, findings: [String]) throws {
        let week = try week(
            [crash(long, "a")] + crashes(6, "a", weeks: 1) + crashes(60, "a") + [crash(3, "n")])
        let alert = try #require(FleetAlert(text))
        #expect(alert.findings(in: week) == findings)
        #expect(alert.doubt(about: week) == nil)
    }

    @Test("An alert that cannot be answered says so")
    func doubt() throws {
        let week = try week(crashes(60, "a"))
        #expect(FleetAlert("new")?.doubt(about: week)?.contains("can be called new") == true)
        #expect(FleetAlert("worse")?.doubt(about: week)?.contains("can be called worse") == true)
        #expect(FleetAlert("back")?.doubt(about: week) == nil)
    }

    @Test(
        "An alert in other words is none",
        arguments: ["", "all", "new,", "worse=", "worse=0.5x", "worse=x", "worse=nan", "worse=inf"])
    func invalid(text: String) {
        #expect(FleetAlert(text) == nil)
    }
}
