// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct SessionFilesTests {
    private func record(_ lab: SessionLab, _ outcome: SessionRecord.Outcome = .completed)
        -> SessionRecord
    {
        SessionRecord(
            Session(
                id: Epitaph.ID(), numberInRun: 1, startTime: lab.clock.now(),
                duration: .seconds(60),
                handledErrors: 0, userKey: .max), outcome)
    }

    private func dayFile(_ lab: SessionLab) throws -> String {
        try #require(lab.names.first { $0.hasSuffix(".sessions") })
    }

    @Test("A record can be read as it was written")
    func roundTrip() throws {
        let lab = try SessionLab()
        let written = record(lab, .crashed)
        #expect(try lab.files().append(written, bundleID: "exampled"))
        let history = try lab.files().history(from: SessionDay(number: 0))
        #expect(history.records == ["exampled": [written.id: written]])
        #expect(history.damagedLines == 0 && !history.isCut)
    }

    @Test("A line that was cut costs itself, not the next one, and the figures say so")
    func torn() throws {
        let lab = try SessionLab()
        let files = try lab.files()
        _ = try files.append(record(lab), bundleID: "exampled")
        let name = "sessions/" + (try dayFile(lab))
        try lab.directory.write(Array(try lab.directory.contents(name).dropLast(20)), to: name)
        _ = try files.append(record(lab), bundleID: "exampled")
        let statistics = try lab.statistics()
        #expect(statistics.programs.map(\.errorFree.sessions) == [1])
        #expect(statistics.damagedLines == 1)
        #expect(!statistics.isComplete)
    }

    @Test(
        "A record with a number out of reason is damage, and no sum of such overflows",
        arguments: [#""errors":9223372036854775807,"seconds":1"#, #""errors":0,"seconds":1e300"#])
    func hugeNumbers(numbers: String) throws {
        let lab = try SessionLab()
        _ = try lab.files().append(record(lab), bundleID: "exampled")
        let name = "sessions/" + (try dayFile(lab))
        let lines = (1...2).map { _ in
            #"{"id":"\#(Epitaph.ID())","session":true,"start":1,"outcome":"completed",\#(numbers)}"#
        }
        try lab.directory.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: name)
        let statistics = try lab.statistics()
        #expect(statistics.damagedLines == 2)
        #expect(statistics.programs.isEmpty)
    }

    @Test("A session that was recorded twice counts once, by the record that knows its end")
    func twice() throws {
        let lab = try SessionLab()
        var known = record(lab, .crashed)
        let files = try lab.files()
        known.outcome = .unknown
        _ = try files.append(known, bundleID: "exampled")
        known.outcome = .crashed
        for _ in 1...2 { _ = try files.append(known, bundleID: "exampled") }
        known.outcome = .unknown
        _ = try files.append(known, bundleID: "exampled")
        let program = try #require(lab.statistics().programs.first)
        #expect(program.errorFree.sessions == 1)
        #expect(program.errorFree.crashedSessions == 1)
    }

    @Test("A day has room for so many; then the figures say that they lack some")
    func full() throws {
        let lab = try SessionLab()
        let files = try lab.files()
        _ = try files.append(record(lab), bundleID: "exampled")
        let name = "sessions/" + (try dayFile(lab))
        var bytes = try lab.directory.contents(name)
        while bytes.count + 300 < SessionFiles.dayLimitBytes {
            bytes += try lab.directory.contents(name)
        }
        bytes += Array(
            repeating: 0x0a, count: max(SessionFiles.dayLimitBytes - bytes.count - 10, 0))
        try lab.directory.write(bytes, to: name)
        #expect(try !files.append(record(lab), bundleID: "exampled"))
        #expect(try !lab.statistics().isComplete)
    }

    @Test("Days that are too old go; a clock that is wrong costs nothing, nor do strange files")
    func prune() throws {
        let lab = try SessionLab()
        let files = try lab.files()
        _ = try files.append(record(lab), bundleID: "exampled")
        for name in ["notes", "exampled@05.sessions", "exampled.sessions", "a@b@3.sessions"] {
            try lab.directory.write([], to: "sessions/" + name)
        }
        let count = lab.names.count
        try files.prune(keptDays: 90, now: lab.clock.now())
        try files.prune(keptDays: 90, now: lab.clock.now() + 4_000 * 86_400)
        try files.prune(keptDays: 90, now: lab.clock.now() + 90 * 86_400)
        #expect(lab.names.count == count)
        try files.prune(keptDays: 90, now: lab.clock.now() + 91 * 86_400)
        #expect(lab.names.count == count - 1)
    }

    @Test("What is no launch is passed over", arguments: ["", "{}", "\u{0}", "[1]"])
    func noLaunch(text: String) throws {
        let lab = try SessionLab()
        let files = try lab.files()
        let name = "sessions/exampled@\(Epitaph.ID().description).running"
        try lab.directory.write(Array(text.utf8), to: name)
        #expect(try files.launches().isEmpty)
    }

    @Test("Processes that record at once lose nothing")
    func concurrent() throws {
        let lab = try SessionLab()
        let files = try lab.files()
        let records = (0..<200).map { _ in record(lab) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in stride(from: thread, to: 200, by: 8) {
                _ = try? files.append(records[index], bundleID: "exampled")
            }
        }
        let history = try files.history(from: SessionDay(number: 0))
        #expect(history.records["exampled"]?.count == 200)
        #expect(history.damagedLines == 0)
    }
}
