// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphFleet

@Suite struct WeekTallyTests {
    private static let until = Timestamp(secondsSince1970: 1_795_392_000)  // 2026-11-23
    private static let hour = 3_600.0

    /// `hours` before the end of the week.
    private func crash(
        _ hours: Double, _ signature: String = "a", host: String = "one",
        program: String = "exampled", version: String = "1", kind: String = "crash",
        id: Epitaph.ID = Epitaph.ID()
    ) -> Sighting {
        Sighting(
            id: id, time: Self.until.adding(seconds: -hours * Self.hour), host: host,
            program: program, version: version, kind: kind, signature: "died in \(signature)",
            signatureID: signature)
    }

    private func week(_ sightings: [Sighting]) throws -> FleetWeek {
        let span = try #require(
            WeekSpan(since: Self.until.adding(seconds: -168 * Self.hour), until: Self.until))
        var tally = WeekTally(span)
        for sighting in sightings { tally.add(sighting) }
        return tally.week()
    }

    @Test("A report that is there twice counts once, whatever else it says the second time")
    func twice() throws {
        let id = Epitaph.ID()
        let week = try week([crash(3, "a", id: id), crash(3, "b", host: "two", id: id)])
        #expect(week.crashCount == 1)
        #expect(week.signatures.map(\.identifier) == ["a"])
        #expect(week.hostCount == 1)
    }

    @Test("The order in which reports come changes nothing")
    func order() throws {
        let all = (0..<200).map { (index: Int) in
            let hours = Double(index * 37 % 400) + 0.5
            let kind = index % 9 == 0 ? "hang" : "crash"
            return crash(
                hours, "\(index % 7)", host: "h\(index % 11)", version: "\(index % 3)", kind: kind)
        }
        let expected = try week(all)
        #expect(try week(all.reversed()) == expected)
        #expect(try week(all.shuffled()) == expected)
        #expect(expected.crashCount > 50)
    }

    @Test("Only what has no earlier crash is new, and a release likewise")
    func new() throws {
        let week = try week([
            crash(200, "old", version: "1"), crash(20, "old", version: "1"),
            crash(30, "new", version: "2"), crash(10, "new", host: "two", version: "3"),
        ])
        #expect(week.newSignatureCount == 1)
        let new = try #require(week.newSignatures.first)
        #expect(new.identifier == "new" && new.crashCount == 2 && new.hostCount == 2)
        #expect(new.firstVersion == "2")
        #expect(week.signatures.map(\.identifier) == ["new", "old"])
        #expect(week.signatures.map(\.isNew) == [true, false])
        #expect(week.releases.filter(week.isNew).map(\.version) == ["2", "3"])
        #expect(week.earliest == Self.until.adding(seconds: -200 * Self.hour))
    }

    /// A crash `hours` before the end of the week that arrived a minute later, and whose clock said
    /// another time.
    private func crash(
        _ hours: Double, said: Timestamp, _ signature: String = "a", host: String,
        version: String = "1"
    ) -> Sighting {
        var sighting = crash(hours, signature, host: host, version: version)
        sighting.arrived = sighting.time.adding(seconds: 60)
        sighting.time = said
        return sighting
    }

    private func crash(prompt hours: Double, _ signature: String, version: String) -> Sighting {
        let time = Self.until.adding(seconds: -hours * Self.hour)
        return crash(hours, said: time, signature, host: "right", version: version)
    }

    /// What clocks say that were never set, are five weeks behind, or two weeks ahead.
    private static let wrong: [Timestamp] = [
        Timestamp(secondsSince1970: 40), until.adding(seconds: -36 * 24 * hour),
        until.adding(seconds: 13 * 24 * hour),
    ]

    @Test("Wrong clocks are counted, and make nothing old", arguments: wrong)
    func wrongClock(said: Timestamp) throws {
        let right = [
            crash(prompt: 300, "old", version: "1"), crash(prompt: 20, "old", version: "1"),
            crash(prompt: 30, "new", version: "2"), crash(prompt: 10, "new", version: "2"),
        ]
        let expected = try week(right)
        #expect(expected.doubtfulCount == 0 && expected.newSignatureCount == 1)
        let wrong = [
            crash(15, said: said, "new", host: "wrong", version: "2"),
            crash(15, said: said, "old", host: "wrong", version: "2"),
        ]
        var found = try week(right + wrong)
        #expect(try week(wrong + right) == found)
        #expect(found.doubtfulCount == 2)
        #expect(found.remarks.contains { $0.hasPrefix("Not counted: 2 reports") })
        found.doubtfulCount = 0
        #expect(found == expected)
    }

    @Test("A late report counts at its time, but proves no first crash where prompt ones do")
    func late() throws {
        let week = try week([
            crash(prompt: 400, "old", version: "1"), crash(prompt: 30, "new", version: "1"),
            crash(2, said: Self.until.adding(seconds: -100 * Self.hour), "new", host: "away"),
            crash(2, said: Self.until.adding(seconds: -200 * Self.hour), "new", host: "away"),
            crash(2, said: Self.until.adding(seconds: -210 * Self.hour), "away", host: "away"),
        ])
        #expect(week.doubtfulCount == 0)
        #expect(week.newSignatures.map(\.identifier) == ["new"])
        #expect(week.newSignatures.first?.crashCount == 2)
        #expect(week.newSignatures.first?.first == Self.until.adding(seconds: -30 * Self.hour))
        #expect(week.perStep[68] == 1)
    }

    @Test("A machine alone, which files its reports late, has no doubtful ones")
    func alone() throws {
        let week = try week([
            crash(100, said: Self.until.adding(seconds: -300 * Self.hour), host: "one"),
            crash(100, said: Self.until.adding(seconds: -150 * Self.hour), host: "one"),
            crash(99, said: Self.until.adding(seconds: -100 * Self.hour), "b", host: "one"),
        ])
        #expect(week.doubtfulCount == 0 && week.crashCount == 2)
    }

    @Test("A report that arrived when no clock was set is believed")
    func arrivedNever() throws {
        var sighting = crash(3)
        sighting.arrived = Timestamp(secondsSince1970: 100)
        #expect(try week([sighting]).crashCount == 1)
    }

    @Test("Where nothing earlier is known, nothing is called new")
    func notKnown() throws {
        let week = try week([crash(20, "a"), crash(10, "b")])
        #expect(week.newSignatureCount == nil && week.newSignatures.isEmpty)
        #expect(week.signatures.allSatisfy { !$0.isNew })
        #expect(!week.releases.contains(where: week.isNew))
        #expect(week.remarks.contains { $0.contains("no signature can be called new") })
    }

    @Test("A signature that crashed before and not in the week is not in it")
    func gone() throws {
        let week = try week([crash(200, "gone"), crash(1, "here")])
        #expect(week.signatureCount == 1 && week.signatures.map(\.identifier) == ["here"])
    }

    @Test("What is at the very end of the time or later does not count")
    func end() throws {
        let week = try week([crash(0), crash(-5), crash(168), crash(168.01, "before")])
        #expect(week.crashCount == 1)
        #expect(week.perStep[0] == 1 && week.perStep.reduce(0, +) == 1)
    }

    @Test("Steps add up: those of the signatures and the rest to those of all")
    func steps() throws {
        let week = try week(
            (0..<500).map { crash(Double($0) / 3, "\($0 % 30)", program: "p\($0 % 2)") })
        let shown = week.signatures.reduce(into: week.othersPerStep(besides: 20)) { sums, one in
            for step in sums.indices { sums[step] += one.perStep[step] }
        }
        #expect(shown == week.perStep)
        #expect(week.perStep.reduce(0, +) == week.crashCount)
        #expect(week.signatures.count == 20 && week.signatureCount == 30)
    }

    @Test("Reports of other kinds are counted beside the crashes")
    func kinds() throws {
        let week = try week([
            crash(1), crash(2, kind: "hang"), crash(3, kind: "hang"), crash(4, kind: ""),
            crash(300, kind: "hang"),
        ])
        #expect(week.crashCount == 1)
        #expect(
            week.otherKinds == [
                .init(name: "hang", reportCount: 2), .init(name: "", reportCount: 1),
            ])
    }

    @Test("Memory errors are counted by kind, in crashes and in programs that lived on")
    func memoryErrors() throws {
        func error(_ signature: String, host: String = "one", kind: String = "crash") -> Sighting {
            var sighting = crash(1, host: host, kind: kind)
            (sighting.signature, sighting.signatureID) = (signature, signature)
            return sighting
        }
        let week = try week([
            error("use-after-free (allocated by fill, freed by release) read_entry | serve"),
            error("use-after-free (allocated by fill, freed by release) drop", host: "two"),
            error("double-free release", host: "two"),
            error("handled-error heap-overwrite (allocated by fill)", kind: "handled-error"),
            error("handled-error use-after-freedom", kind: "handled-error"),
            error("null-dereference use-after-free"), error("", kind: "hang"),
        ])
        #expect(
            week.memoryErrors == [
                .init(name: "use-after-free", reportCount: 2, hostCount: 2, signatureCount: 2),
                .init(name: "double-free", reportCount: 1, hostCount: 1, signatureCount: 1),
                .init(name: "heap-overwrite", reportCount: 1, hostCount: 1, signatureCount: 1),
            ])
        #expect(week.crashCount == 4)
    }

    @Test("The same signature in two programs is two")
    func programs() throws {
        let week = try week([
            crash(1, program: "a"), crash(2, program: "b"), crash(3, program: "b"),
        ])
        #expect(week.signatureCount == 2 && week.programCount == 2)
        #expect(week.signatures.map(\.program) == ["b", "a"])
    }

    /// Hours, the step in seconds, and how many there are at least.
    private static let spans: [[Int]] = [
        [1, 3_600, 1], [24, 3_600, 24], [168, 3_600, 168], [240, 3_600, 240], [241, 10_800, 81],
        [30 * 24, 10_800, 240], [90 * 24, 43_200, 180], [240 * 24, 86_400, 240],
        [241 * 24, 604_800, 35],
    ]

    @Test(
        "A span has steps that fit: an hour or longer, and never more than can be seen",
        arguments: spans)
    func span(_ row: [Int]) throws {
        let hours = Double(row[0])
        let step = row[1]
        let span = try #require(
            WeekSpan(since: Self.until.adding(seconds: -hours * Self.hour), until: Self.until))
        #expect(span.stepSeconds == step)
        #expect((row[2]...row[2] + 1).contains(span.stepCount))
        #expect(span.start <= Self.until.adding(seconds: -hours * Self.hour))
        #expect(Int(span.start.secondsSince1970) % step == 0)
        #expect(span.step(of: span.start) == 0)
        #expect(span.step(of: span.end.adding(seconds: -0.001)) == span.stepCount - 1)
        #expect(span.step(of: span.end) == nil)
    }

    @Test("There is no span that ends before it begins, or that no DateTime reaches")
    func noSpan() {
        #expect(WeekSpan(since: Self.until, until: Self.until) == nil)
        #expect(WeekSpan(since: Self.until.adding(seconds: 1), until: Self.until) == nil)
        #expect(WeekSpan(since: Timestamp(secondsSince1970: -1), until: Self.until) == nil)
        #expect(WeekSpan(since: Self.until, until: Timestamp(secondsSince1970: 5e9)) == nil)
        #expect(WeekSpan(since: Timestamp(secondsSince1970: 0), until: Self.until) != nil)
    }

    @Test("A share is neither nothing nor everything unless it is")
    func share() throws {
        var week = try week([])
        #expect(week.share(0) == "0%")
        week.crashCount = 1_000_000
        #expect(week.share(0) == "0%" && week.share(1) == "<0.1%")
        #expect(week.share(999_999) == "99.9%" && week.share(1_000_000) == "100%")
        #expect(week.share(125_000) == "12.5%" && week.share(500_000) == "50%")
    }
}
