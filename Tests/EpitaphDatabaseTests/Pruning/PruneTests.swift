// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct PruneTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }
    private let day = 86_400.0

    init() throws {
        fixture = try Fixture()
    }

    private func everything() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: fixture.path("")).sorted()
    }

    @Test("A report that goes takes all that belongs to it along, and others keep theirs")
    func belongings() throws {
        let uuids = [Epitaph.ID(), Epitaph.ID()]
        for name in ["delivery", "signatures"] { try Directory.make(fixture.path(name)) }
        for uuid in uuids {
            let new = try database.prepareReport(uuid)
            try new.append([1, 2, 3])
            try new.addAttachment("log").writeAll([4], at: 0)
            let report = try new.finish()
            try fixture.write([5], "delivery/\(report.stem).json")
            try fixture.write([6], "signatures/\(report.stem)")
            fixture.clock.advance(bySeconds: 20 * day)
        }
        let summary = try database.prune(PrunePolicy(maxAgeDays: 30))
        #expect(summary.removals.map(\.candidate.uuid) == [uuids[0]])
        #expect(summary.removals.map(\.reason) == [.tooOld])
        #expect(summary.removals.map(\.candidate.sizeBytes).reduce(0, +) == 4)
        #expect(summary.keptCount == 1 && summary.keptBytes == 4)
        #expect(summary.problems == [] && summary.stalePaths == [] && summary.isClockTrusted)
        let stem = uuids[1].description
        #expect(
            try everything() == [
                "attachments", "attachments/\(stem)", "attachments/\(stem)/log", "completed",
                "delivery", "delivery/\(stem).json", "new", "pending", "pending/\(stem).dmp",
                "pending/\(stem).meta", "prune-clock", "signatures", "signatures/\(stem)",
            ])
    }

    @Test("A dry run tells the same and changes nothing")
    func dryRun() throws {
        for number in 0..<5 {
            let report = try fixture.file([UInt8](repeating: 1, count: 100 + number))
            if number.isMultiple(of: 2) { try database.skipUpload(of: report.uuid) }
            fixture.clock.advance(bySeconds: day)
        }
        try fixture.write([1], "completed/\(Epitaph.ID().description).meta")
        let policy = PrunePolicy(maxAgeDays: 4, maxRecordCount: 2)
        let before = try everything()
        var dry = try database.prune(policy, mode: .dryRun)
        #expect(try everything() == before)
        #expect(dry.removals.count == 3 && dry.stalePaths.count == 1)
        let real = try database.prune(policy)
        #expect(real.removals == dry.removals)
        #expect(real.stalePaths == dry.stalePaths)
        dry = try database.prune(policy, mode: .dryRun)
        #expect(dry.removals.isEmpty && dry.stalePaths.isEmpty && dry.keptCount == 2)
    }

    @Test("A report being sent stays, and another goes in its place")
    func busy() throws {
        let sending = try fixture.file().uuid
        fixture.clock.advance(bySeconds: 1)
        let other = try fixture.file().uuid
        let attempt = try database.beginUpload(of: sending)
        let summary = try fixture.reopened().prune(PrunePolicy(maxRecordCount: 1))
        #expect(summary.removals.map(\.candidate.uuid) == [other])
        try attempt.recordSuccess(serverID: "x")
        #expect(try database.report(sending).isUploaded)
    }

    @Test("A report in use whose lock comes after the look stays too")
    func lockedMeanwhile() throws {
        let uuid = try fixture.file().uuid
        let stem = uuid.description
        // A lock of Crashpad's tools, gone from the listing's view: a directory cannot be taken.
        try Directory.make(fixture.path("pending/\(stem).lock"))
        let summary = try database.prune(PrunePolicy(maxRecordCount: 1, maxDatabaseSizeMB: 1))
        #expect(summary.removals.isEmpty)
        #expect(fixture.exists("pending/\(stem).dmp"))
    }

    @Test("A report from the future is dated anew, and gets old from then on")
    func future() throws {
        _ = try database.prune(PrunePolicy())
        fixture.clock.advance(bySeconds: 10_000 * day)
        let report = try fixture.file()
        fixture.clock.advance(bySeconds: -10_000 * day)
        let policy = PrunePolicy(maxAgeDays: 30)
        let first = try database.prune(policy)
        #expect(first.redated == [report.uuid] && first.removals.isEmpty)
        #expect(try database.report(report.uuid).creationTime == fixture.clock.now())
        #expect(try database.prune(policy).redated.isEmpty)
        fixture.clock.advance(bySeconds: 30 * day)
        #expect(try database.prune(policy).removals.isEmpty)
        fixture.clock.advance(bySeconds: 1)
        #expect(try database.prune(policy).removals.count == 1)
    }

    @Test("A clock that jumps decades ahead empties nothing until it has stayed there for a day")
    func jump() throws {
        let report = try fixture.file()
        let policy = PrunePolicy(maxAgeDays: 30)
        _ = try database.prune(policy)
        fixture.clock.advance(bySeconds: 8_000 * day)
        for _ in 0..<3 {
            let summary = try fixture.reopened().prune(policy)
            #expect(!summary.isClockTrusted && summary.removals.isEmpty)
        }
        fixture.clock.advance(bySeconds: -8_000 * day)
        #expect(try database.prune(policy).isClockTrusted)
        fixture.clock.advance(bySeconds: 8_000 * day)
        #expect(try !database.prune(policy).isClockTrusted)
        fixture.clock.advance(bySeconds: day)
        #expect(try database.prune(policy).removals.map(\.candidate.uuid) == [report.uuid])
    }

    @Test("A broken clock file is none and is made anew", arguments: ["", "x", "\u{0}\u{1}\n"])
    func brokenClock(text: String) throws {
        try fixture.write(Array(text.utf8), "prune-clock")
        #expect(try database.prune(PrunePolicy(maxAgeDays: 1)).isClockTrusted)
        #expect(
            try fixture.bytes("prune-clock") == Array("epitaph-prune-clock 1 1700000000 -\n".utf8))
    }

    @Test("Reports whose metadata is broken count and go by the times of their files")
    func brokenMetadata() throws {
        _ = try database.prune(PrunePolicy())
        let report = try fixture.file()
        try fixture.write([1], "pending/\(report.stem).meta")
        let time = timeval(tv_sec: 1_600_000_000, tv_usec: 0)
        #expect(utimes(report.path, [time, time]) == 0)
        let summary = try database.prune(PrunePolicy(maxAgeDays: 30))
        #expect(summary.removals.map(\.candidate.uuid) == [report.uuid])
    }

    @Test("Quarantined files go by number, the oldest first, and by age; directories stay")
    func quarantine() throws {
        try Directory.make(fixture.path("quarantine"))
        try Directory.make(fixture.path("quarantine/kept"))
        for number in 0..<60 {
            let name = "quarantine/dump-\(100 + number)"
            try fixture.write([1], name)
            let time = timeval(tv_sec: 1_699_000_000 + number, tv_usec: 0)
            #expect(utimes(fixture.path(name), [time, time]) == 0)
        }
        let summary = try database.prune(PrunePolicy())
        #expect(
            summary.quarantinePaths == (100..<110).map { fixture.path("quarantine/dump-\($0)") })
        #expect(try fixture.names("quarantine").count == 51)
        fixture.clock.advance(bySeconds: 100 * day)
        #expect(try database.prune(PrunePolicy(maxAgeDays: 365)).quarantinePaths == [])
        #expect(try database.prune(PrunePolicy(maxAgeDays: 90)).quarantinePaths.count == 50)
        #expect(try fixture.names("quarantine") == ["kept"])
    }

    @Test("Quarantined files go by what they take of the disk; one from the future first")
    func quarantineSize() throws {
        try Directory.make(fixture.path("quarantine"))
        for (name, seconds) in [("a", 5), ("b", 4), ("future", 1_900_000_000), ("hole", 6)] {
            try fixture.write([], "quarantine/" + name)
            let file = open(fixture.path("quarantine/" + name), O_WRONLY | O_CLOEXEC)
            defer { close(file) }
            // A file that consists of holes occupies nothing, whatever its size.
            try #require(ftruncate(file, 1 << 40) == 0)
            if name != "hole" { try #require(posix_fallocate(file, 0, 100 << 20) == 0) }
            let time = timeval(tv_sec: seconds, tv_usec: 0)
            #expect(utimes(fixture.path("quarantine/" + name), [time, time]) == 0)
        }
        #expect(
            try database.prune(PrunePolicy()).quarantinePaths
                == [fixture.path("quarantine/future")])
        #expect(try fixture.names("quarantine") == ["a", "b", "hole"])
    }
}
