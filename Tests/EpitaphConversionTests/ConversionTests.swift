// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct ConversionTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test("A pending dump becomes a pending report of the same id, and goes")
    func converts() throws {
        let uuid = Epitaph.ID()
        try fixture.put(uuid)
        let summary = try fixture.sweep()
        #expect(summary.outcomes == [.converted(reportID: uuid)])
        #expect(try fixture.pendingNames.isEmpty)
        let report = try fixture.database.report(uuid)
        #expect(report.state == .pending)
        let minidump = try MinidumpReader.read(fixture.database.contents(of: report))
        #expect(minidump.reportID == uuid)
        #expect(try minidump.clientID == fixture.database.settings().clientID)
        #expect(minidump.snapshot.exception?.threadID == 4712)
        #expect(minidump.snapshot.threads.map(\.name) == ["worker"])
        #expect(try fixture.sweep() == SweepSummary())
    }

    @Test("Whose report it is tells the dump's name, whatever the dump says")
    func nameCounts() throws {
        let uuid = Epitaph.ID()
        try fixture.put(bundle: "org.example.another", uuid)
        _ = try fixture.sweep()
        let report = try fixture.database.report(uuid)
        let minidump = try MinidumpReader.read(fixture.database.contents(of: report))
        #expect(minidump.snapshot.launch?.bundleID == "org.example.another")
        #expect(minidump.reportID == uuid)
    }

    @Test("Without a directory of pending dumps there is nothing to do")
    func nothing() throws {
        rmdir(fixture.path(""))
        #expect(try fixture.sweep() == SweepSummary())
    }

    @Test("A dump cut anywhere after its launch record still becomes a report")
    func cut() throws {
        let start = Dumps.launchOnly().count
        var ids: Set<Epitaph.ID> = []
        for count in stride(from: start + 4, to: Dumps.crash.count, by: 13) {
            let uuid = Epitaph.ID()
            ids.insert(uuid)
            try fixture.put(Array(Dumps.crash.prefix(count)), uuid)
        }
        var options = DumpSweep.Options()
        options.limit = .unlimited
        #expect(try Set(fixture.sweep(options).reportIDs) == ids)
        #expect(try fixture.reportIDs == ids)
    }

    @Test("A bad dump is tried three times, then put aside, and never stops a good one")
    func quarantine() throws {
        let bad: [(String, [UInt8])] = [
            ("text", Array("hello".utf8)), ("version", Dumps.otherVersion),
            ("start", Array(Dumps.crash.prefix(3))),
        ]
        var stems: [String] = []
        for (bundle, bytes) in bad { stems.append(try fixture.put(bytes, bundle: bundle)) }
        for attempt in 1...3 {
            let good = Epitaph.ID()
            try fixture.put(bundle: "zz", good)
            let summary = try fixture.sweep()
            #expect(summary.reportIDs == [good])
            #expect(summary.problems.count == bad.count)
            for stem in stems {
                #expect(
                    summary.problems.contains {
                        $0.contains(stem) && $0.contains("\(attempt) of 3")
                    })
            }
            let names = try fixture.pendingNames
            #expect(
                names == (attempt == 3 ? [] : stems.map { "\($0).converting-\(attempt)" }.sorted()))
        }
        for (stem, (_, bytes)) in zip(stems, bad) {
            let path = fixture.temporary.path("db/quarantine/\(stem)")
            #expect(FileManager.default.contents(atPath: path).map(Array.init) == bytes)
        }
        #expect(try fixture.sweep() == SweepSummary())
    }

    @Test("An empty dump is put aside at once, with a sentence that names it")
    func empty() throws {
        let stem = try fixture.put([])
        let summary = try fixture.sweep()
        let problem =
            "\(fixture.path(stem)): the file is empty: the power failed before its bytes were on "
            + "disk, or the disk was full"
        #expect(summary.problems == [problem])
        #expect(try fixture.pendingNames.isEmpty)
        let path = fixture.temporary.path("db/quarantine/\(stem)")
        #expect(FileManager.default.contents(atPath: path) == Data())
    }

    @Test("A dump that was not on disk when the power failed is put aside at once, and says so")
    func lost() throws {
        for bytes in [[UInt8](repeating: 0, count: 8192), [UInt8](repeating: 0, count: 4096) + [6]]
        {
            let stem = try fixture.put(bytes)
            let problem = try #require(try fixture.sweep().problems.first)
            #expect(problem.hasPrefix("\(fixture.path(stem)): it begins with zeros, as a file"))
            #expect(try fixture.pendingNames.isEmpty)
            let path = fixture.temporary.path("db/quarantine/\(stem)")
            #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        }
    }

    @Test("Sentences name the dump as it was called when it was whole")
    func plainNames() throws {
        let stem = try fixture.put(Dumps.otherVersion)
        for attempt in 1...3 {
            let problem = try #require(try fixture.sweep().problems.first)
            #expect(problem.hasPrefix("\(fixture.path(stem)): attempt \(attempt) of 3 failed"))
        }
    }

    @Test("A directory, a link and a FIFO in a dump's place are sentences and stay")
    func wrongKinds() throws {
        let names = try (0..<3).map { _ in try fixture.put([]) }
        for name in names { unlink(fixture.path(name)) }
        mkdir(fixture.path(names[0]), 0o700)
        symlink("/etc/passwd", fixture.path(names[1]))
        mkfifo(fixture.path(names[2]), 0o600)
        let good = Epitaph.ID()
        try fixture.put(good)
        for _ in 0..<4 {
            let summary = try fixture.sweep()
            for name in names {
                #expect(summary.problems.contains { $0.contains(fixture.path(name)) })
            }
            #expect(summary.problems.count == 3)
        }
        #expect(try fixture.reportIDs == [good])
        #expect(try fixture.pendingNames == names.sorted())
    }

    @Test("Files with other names are left alone")
    func strangers() throws {
        try fixture.temporary.write([1], to: "db/pending-dumps/README")
        let summary = try fixture.sweep()
        #expect(summary.outcomes == [.notADump])
        #expect(try fixture.pendingNames == ["README"])
    }

    @Test("A disk full at any write leaves the dump untouched and uncounted, and no report")
    func fullDisk() throws {
        let uuid = Epitaph.ID()
        // Pieces of a minidump go out together, a mebibyte at a time.
        let name = try fixture.put(Dumps.crash(threads: 4, stackBytes: 1_000_000), uuid)
        var failures = 0
        while true {
            let summary = try fixture.sweep(FullDisk(writesLeft: failures))
            if summary.reportIDs == [uuid] { break }
            #expect(summary.problems.count == 1)
            #expect(summary.problems.first?.contains("No space left on device") == true)
            #expect(try fixture.pendingNames == [name])
            #expect(try fixture.reportIDs.isEmpty)
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: fixture.temporary.path("db/new")
                ).isEmpty)
            failures += 1
            try #require(failures < 1000)
        }
        #expect(failures > 3)
    }

    @Test(
        "A dump that was filed before its removal was cut off is recognised",
        arguments: [
            "", ".converting-1", ".converting-3",
        ])
    func alreadyFiled(ending: String) throws {
        let uuid = Epitaph.ID()
        let report = try fixture.database.prepareReport(uuid)
        try report.finish()
        try fixture.put(uuid, ending: ending)
        #expect(try fixture.sweep().outcomes == [.converted(reportID: uuid)])
        #expect(try fixture.pendingNames.isEmpty)
        #expect(try fixture.database.report(uuid).sizeBytes == 0)
    }

    @Test("A dead converter's claim is taken up; a living one's is left to it")
    func claims() throws {
        let (dead, living, worn) = (Epitaph.ID(), Epitaph.ID(), Epitaph.ID())
        try fixture.put(dead, ending: ".converting-2")
        let name = try fixture.put(living, ending: ".converting-1")
        let wornName = try fixture.put(worn, ending: ".converting-3")
        let stem = String(wornName.dropLast(".converting-3".count))
        let converter = try LockHolder(.wholeFile, on: fixture.path(name))
        var summary = try fixture.sweep()
        #expect(summary.reportIDs == [dead])
        #expect(summary.busyCount == 1 && summary.waitingCount == 0)
        #expect(summary.problems.count == 1)
        #expect(summary.problems.first?.contains(stem) == true)
        #expect(try fixture.pendingNames == [name])
        converter.end()
        summary = try fixture.sweep()
        #expect(summary.reportIDs == [living])
        #expect(try fixture.pendingNames.isEmpty)
    }

    @Test("Many sweeps at once make one report of each dump")
    func contention() async throws {
        let fixture = fixture
        let ids = Set((0..<30).map { _ in Epitaph.ID() })
        for id in ids { try fixture.put(id) }
        let converted = try await withThrowingTaskGroup(of: [Epitaph.ID].self) { group in
            for _ in 0..<4 { group.addTask { try fixture.sweep().reportIDs } }
            return try await group.reduce(into: [Epitaph.ID]()) { $0 += $1 }
        }
        #expect(converted.count == Set(converted).count)
        #expect(try fixture.reportIDs == Set(converted))
        let rest = try fixture.sweep().reportIDs
        #expect(Set(converted).union(rest) == ids)
        #expect(try fixture.reportIDs == ids)
        #expect(try fixture.pendingNames.isEmpty)
    }
}
