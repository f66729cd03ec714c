// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Whoever sweeps, the program learns how its launches ended.
@Suite struct LaunchHistorySweepTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test("A sweep of another program keeps crashes and ends for the programs they are of")
    func foreignSweep() throws {
        let crash = Epitaph.ID()
        let boot = try ProcFileSystem().bootID()
        try fixture.put(Dumps.crash, crash)
        try fixture.put(Dumps.launchOnly(boot: boot, processID: 99), ending: ".locked")
        try fixture.put(
            Dumps.launchOnly(boot: boot, processID: 98) + Dumps.cleanExit, bundle: "org.other",
            ending: ".locked")
        _ = try fixture.sweep()
        let history = try fixture.database.launchHistory(of: "org.example")
        #expect(Set(history.map(\.end.description)) == ["crash", "killed"])
        #expect(history.first { $0.end.isCrash }?.end.report == crash)
        #expect(try fixture.database.launchHistory(of: "org.other").map(\.end) == [.cleanly])
        #expect(
            try fixture.database.takeUntoldLaunches(of: "org.example", asker: nil).count == 2)
    }

    @Test(
        "A dump that cannot be converted is a crash in the history, and its report when there is one"
    )
    func unconvertible() throws {
        let uuid = Epitaph.ID()
        try fixture.put(Dumps.crash, uuid)
        _ = try fixture.sweep(FullDisk(writesLeft: 0))
        #expect(
            try fixture.database.launchHistory(of: "org.example").map(\.end)
                == [.crashed(report: nil)])
        _ = try fixture.sweep()
        #expect(
            try fixture.database.launchHistory(of: "org.example").map(\.end)
                == [.crashed(report: uuid)])
    }

    @Test("A dump of a process that went on is no end of a launch")
    func liveDump() throws {
        var bytes = Dumps.launchOnly()
        // THREADS, 6000, empty, and ROOT_MAP_END.
        bytes += [3, 0x70, 0x17, 4, 7]
        let uuid = Epitaph.ID()
        try fixture.put(bytes, uuid)
        #expect(try fixture.sweep().reportIDs == [uuid])
        #expect(try fixture.database.launchHistory(of: "org.example").isEmpty)
    }

    @Test("A sweep of another program attaches what the program of the crash wants attached")
    func attachments() throws {
        let log = try fixture.temporary.write(Array("hello".utf8), to: "daemon.log")
        let missing = fixture.temporary.path("missing")
        try fixture.database.setWantedAttachments(
            WantedAttachments(files: [AttachedFile(log), AttachedFile(missing)]),
            of: "org.example")
        let (own, other) = (Epitaph.ID(), Epitaph.ID())
        try fixture.put(Dumps.crash, own)
        try fixture.put(Dumps.crash, bundle: "org.other", other)
        let summary = try fixture.sweep()
        #expect(try fixture.database.attachmentNames(of: own) == ["daemon.log"])
        #expect(try fixture.database.attachmentNames(of: other).isEmpty)
        #expect(summary.lesserProblems.count == 1)
        #expect(summary.lesserProblems.first?.contains(missing) == true)
        let launches = try fixture.database.launchHistory(of: "org.example")
        #expect(launches.map(\.lacksAttachments) == [false])
        // The other one never said what it wants.
        #expect(
            try fixture.database.launchHistory(of: "org.other").map(\.lacksAttachments) == [true])
    }

    @Test("The limit of whoever sweeps counts, whatever the program's file says")
    func attachmentLimit() throws {
        let small = try fixture.temporary.write(Array("hello".utf8), to: "small.log")
        let large = try fixture.temporary.write([], to: "large.log")
        try #require(truncate(large, 100 << 20) == 0)
        try fixture.database.setWantedAttachments(
            WantedAttachments(
                files: [AttachedFile(large), AttachedFile(small)], limitBytes: 1 << 62),
            of: "org.example")
        let id = Epitaph.ID()
        try fixture.put(Dumps.crash, id)
        let summary = try fixture.sweep()
        #expect(try fixture.database.attachmentNames(of: id) == ["small.log"])
        #expect(summary.lesserProblems.count == 1)
        #expect(summary.lesserProblems.first?.contains(large) == true)
    }

    @Test("Where the history cannot be written the ends are in the summary, and the files go")
    func noHistory() throws {
        try fixture.temporary.write([1], to: "db/launches")
        let crash = Epitaph.ID()
        try fixture.put(Dumps.crash, crash)
        try fixture.put(Dumps.launchOnly(), ending: ".locked")
        let summary = try fixture.sweep()
        #expect(!summary.keptEveryLaunch)
        #expect(summary.reportIDs == [crash])
        #expect(summary.entries.compactMap(\.launch).count == 2)
        #expect(!summary.lesserProblems.isEmpty)
        #expect(try fixture.pendingNames.isEmpty)
    }
}

extension LaunchEnd {
    fileprivate var description: String { isCrash ? "crash" : "\(self)" }
}
