// SPDX-License-Identifier: Apache-2.0

import EpitaphService
import EpitaphValues
import Foundation
import Testing

@Suite("Counts of crashes")
struct CrashCountsTests {
    private func id(_ number: Int) throws -> Epitaph.ID {
        let digits = String(number, radix: 16)
        let zeros = String(repeating: "0", count: 12 - digits.count)
        return try #require(Epitaph.ID("11111111-2222-4333-8444-" + zeros + digits))
    }

    private func group(_ program: String, _ kind: String = "null-dereference") -> CrashCounts.Group
    {
        .init(program: program, version: "1.2", kind: kind)
    }

    @Test("A report is counted once, and stays counted when it is gone")
    func once() throws {
        var counts = CrashCounts()
        for _ in 0..<3 { counts.count(try id(1), as: group("a")) }
        counts.count(try id(2), as: group("a"))
        counts.count(try id(3), as: nil)
        #expect(counts.counts == [group("a"): 2])
        counts.forgetReports(except: [try id(2)])
        #expect(counts.counted == [try id(2)])
        counts.count(try id(2), as: group("a"))
        #expect(counts.counts == [group("a"): 2])
    }

    @Test("A file gives what was written, and a part of one nothing")
    func file() throws {
        var counts = CrashCounts()
        counts.count(try id(1), as: group("odd \"name\" \\ with = and , and }\nline"))
        counts.count(try id(2), as: group("b"))
        counts.count(try id(3), as: nil)
        #expect(CrashCounts(counts.text) == counts)
        #expect(CrashCounts(CrashCounts().text) == CrashCounts())
        let text = counts.text
        for length in 0..<text.count {
            #expect(CrashCounts(String(text.prefix(length))) == nil)
        }
        #expect(CrashCounts(text.replacing("} 1", with: "} many")) == nil)
        #expect(CrashCounts(text.replacing("counts 1", with: "counts 2")) == nil)
    }

    @Test("Any number of programs makes a limited number of groups, and no crash is lost")
    func bounded() throws {
        var counts = CrashCounts()
        for number in 0..<1_000 { counts.count(try id(number), as: group("program-\(number)")) }
        #expect(counts.counts.count == CrashCounts.groupLimit + 1)
        #expect(counts.counts.values.reduce(0, +) == 1_000)
        #expect(counts.counts[.other] == 1_000 - CrashCounts.groupLimit)
        #expect(CrashCounts(counts.text) == counts)
        counts.count(try id(1_001), as: group("program-3"))
        #expect(counts.counts[group("program-3")] == 2)
        let long = CrashCounts.Group(
            program: String(repeating: "x", count: 1_000), version: "", kind: "")
        #expect(long.program.count == 100)
    }

    @Test("The family has the database as a label, and escapes what Prometheus escapes")
    func family() throws {
        var counts = CrashCounts()
        counts.count(try id(1), as: group("a\\b\"c"))
        var writer = PrometheusWriter()
        CrashCounts.write(["/srv/db": counts], to: &writer)
        #expect(
            writer.text == """
                # HELP epitaph_crashes_total Crashes, by program, version and kind of death.
                # TYPE epitaph_crashes_total counter
                epitaph_crashes_total{database="/srv/db",program="a\\\\b\\"c",version="1.2",kind="null-dereference"} 1

                """)
        var empty = PrometheusWriter()
        CrashCounts.write([:], to: &empty)
        #expect(empty.text == "")
    }
}
