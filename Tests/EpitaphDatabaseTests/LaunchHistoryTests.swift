// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LaunchHistoryTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }
    private let boot = Epitaph.ID()

    init() throws {
        fixture = try Fixture()
    }

    private func process(_ number: Int32) -> ProcessIdentity {
        ProcessIdentity(
            processID: number, startTicks: UInt64(number) * 100, pidNamespace: 1, bootID: boot)
    }

    private func date(_ seconds: Int) -> Timestamp {
        Timestamp(secondsSince1970: 1_700_000_000 + Double(seconds))
    }

    private func launch(
        _ number: Int32, _ end: LaunchEnd, start: Int = 0, last: Int, id: Epitaph.ID = Epitaph.ID()
    ) -> RecordedLaunch {
        RecordedLaunch(
            id: id, process: process(number), start: date(start), end: end, lastSign: date(last))
    }

    private static let ends: [LaunchEnd] = [
        .crashed(report: Epitaph.ID()), .crashed(report: nil), .cleanly, .signalled(.sigterm),
        .outOfMemory(isCertain: true), .outOfMemory(isCertain: false), .exec, .killed,
        .ofReportedCrash, .shutdown, .powerLoss, .lostToReboot, .unknown,
    ]

    @Test("What is recorded is read back as it was, whatever the end", arguments: ends)
    func roundTrip(_ end: LaunchEnd) throws {
        var written = launch(7, end, last: 90)
        written.evidence = "because \"so\""
        written.displacedSignals = [.sigsegv, .sigabrt]
        written.hadMemoryWarning = true
        written.isChild = true
        written.breadcrumbs = Epitaph.ID()
        written.lacksAttachments = true
        try database.record([written], of: "org.example")
        #expect(try fixture.reopened().launchHistory(of: "org.example") == [written])
        #expect(try database.launchHistory(of: "org.other").isEmpty)
        let mode = try FileManager.default.attributesOfItem(
            atPath: fixture.path("launches/org.example.json"))
        #expect((mode[.posixPermissions] as? Int) == 0o600)
    }

    @Test("The time that a launch ran is known where its end has a time")
    func runTime() {
        #expect(launch(1, .cleanly, last: 12).runTime == .seconds(12))
        #expect(launch(1, .crashed(report: nil), last: 3).runTime == .seconds(3))
        #expect(launch(1, .signalled(.sighup), last: 3).runTime == .seconds(3))
        #expect(launch(1, .killed, last: 0).runTime == nil)
        // The clock was set back meanwhile.
        #expect(launch(1, .cleanly, last: -5).runTime == nil)
    }

    @Test("Each launch is given out once, to the program alone, and never its own crash")
    func told() throws {
        let crash = launch(1, .crashed(report: Epitaph.ID()), last: 10)
        let kill = launch(2, .killed, start: 20, last: 20)
        let own = launch(3, .crashed(report: Epitaph.ID()), start: 30, last: 40)
        try database.record([crash, kill, own], of: "org.example")
        let taken = try database.takeUntoldLaunches(of: "org.example", asker: process(3))
        #expect(taken.map(\.id) == [kill.id, crash.id])
        #expect(try database.takeUntoldLaunches(of: "org.example", asker: process(3)).isEmpty)
        // To the launch after it, it is an earlier one.
        let next = try database.takeUntoldLaunches(of: "org.example", asker: process(4))
        #expect(next.map(\.id) == [own.id])
        #expect(try database.launchHistory(of: "org.example").count == 3)
    }

    @Test(
        "A file that is looked at twice is one launch, told once; its report counts when it is there"
    )
    func recordedTwice() throws {
        let id = Epitaph.ID()
        try database.record([launch(1, .crashed(report: nil), last: 10, id: id)], of: "a")
        #expect(try database.takeUntoldLaunches(of: "a", asker: nil).count == 1)
        try database.record([launch(1, .crashed(report: id), last: 10, id: id)], of: "a")
        #expect(try database.launchHistory(of: "a").map(\.end) == [.crashed(report: id)])
        #expect(try database.takeUntoldLaunches(of: "a", asker: nil).isEmpty)
        try database.record([launch(1, .crashed(report: nil), last: 10, id: id)], of: "a")
        #expect(try database.launchHistory(of: "a").map(\.end) == [.crashed(report: id)])
    }

    @Test("A launch that recovered from a crash is one launch, and its last end counts")
    func recovered() throws {
        let crash = launch(1, .crashed(report: Epitaph.ID()), last: 10)
        try database.record([crash], of: "a")
        #expect(try database.takeUntoldLaunches(of: "a", asker: nil).count == 1)
        try database.record([launch(1, .cleanly, last: 50)], of: "a")
        #expect(try database.launchHistory(of: "a").map(\.end) == [.cleanly])
        #expect(try database.takeUntoldLaunches(of: "a", asker: nil).map(\.end) == [.cleanly])
        // What is not known to be another end leaves the crash the end.
        try database.record([crash], of: "b")
        try database.record([launch(1, .ofReportedCrash, last: 11)], of: "b")
        #expect(try database.launchHistory(of: "b").map(\.end) == [crash.end])
    }

    @Test("A launch of the same process shows that the one before it ended by exec")
    func exec() throws {
        let first = launch(1, .killed, start: 0, last: 0)
        let stopped = launch(2, .cleanly, start: 0, last: 5)
        try database.record([first, stopped], of: "a")
        try database.record(
            [
                launch(1, .cleanly, start: 10, last: 20), launch(2, .killed, start: 10, last: 10),
            ], of: "a")
        let history = try database.launchHistory(of: "a")
        #expect(history.first { $0.id == first.id }?.end == .exec)
        #expect(history.first { $0.id == stopped.id }?.end == .cleanly)
    }

    @Test("The last hundred launches are kept")
    func bounded() throws {
        let launches = (0..<150).map { launch(Int32($0 + 1), .cleanly, start: $0, last: $0) }
        try database.record(Array(launches[..<75]), of: "a")
        try database.record(Array(launches[75...]), of: "a")
        let history = try database.launchHistory(of: "a")
        #expect(history.map(\.id) == launches.suffix(100).reversed().map(\.id))
    }

    @Test("Processes that record at the same moment lose none of their launches")
    func concurrent() async throws {
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<5 {
                        let number = writer * 5 + number
                        try? database.record(
                            [launch(Int32(number + 1), .cleanly, start: number, last: number)],
                            of: "a")
                    }
                }
            }
        }
        #expect(try database.launchHistory(of: "a").count == 40)
    }

    @Test("A history that is broken is put aside, one of a later program left alone")
    func broken() throws {
        try database.record([launch(1, .cleanly, last: 1)], of: "a")
        try fixture.write(Array("{\"launches\": 5".utf8), "launches/a.json")
        #expect(try database.launchHistory(of: "a").isEmpty)
        try database.record([launch(2, .killed, last: 2)], of: "a")
        #expect(try database.launchHistory(of: "a").count == 1)
        #expect(try fixture.names("launches").contains { $0.hasPrefix("a.json.corrupt-") })
        let later = Array("{\"version\": 2, \"launches\": []}".utf8)
        try fixture.write(later, "launches/b.json")
        #expect(throws: DatabaseError.self) { try database.launchHistory(of: "b") }
        #expect(throws: DatabaseError.self) {
            try database.record([launch(2, .killed, last: 2)], of: "b")
        }
        #expect(try fixture.bytes("launches/b.json") == later)
    }

    @Test(
        "Only names that a program can have become files",
        arguments: ["", "..", ".hidden", "a/b", "a@b", String(repeating: "x", count: 201)])
    func names(_ name: String) throws {
        try database.record([launch(1, .cleanly, last: 1)], of: name)
        #expect(try database.launchHistory(of: name).isEmpty)
        #expect(!fixture.exists("launches"))
    }

    @Test("What a program wants attached is written down, and read by others")
    func wanted() throws {
        #expect(try database.wantedAttachments(of: "a") == nil)
        let wanted = WantedAttachments(
            files: [AttachedFile("/var/log/a.log"), AttachedFile("relative")], limitBytes: 100)
        try database.setWantedAttachments(wanted, of: "a")
        let read = try fixture.reopened().wantedAttachments(of: "a")
        #expect(read?.files == [AttachedFile("/var/log/a.log")])
        #expect(read?.limitBytes == 100)
        try database.setWantedAttachments(WantedAttachments(files: []), of: "a")
        #expect(try database.wantedAttachments(of: "a")?.files == [])
    }

    @Test("Breadcrumb files stay for the newest launches that have one, and go with the history")
    func breadcrumbFiles() throws {
        let directory = try #require(
            try database.openDirectory("pending-dumps", ifMissing: .create))
        var kept: [RecordedLaunch] = []
        for number in 1...12 {
            var launch = launch(Int32(number), .killed, start: number, last: number)
            launch.breadcrumbs = Epitaph.ID()
            try database.record([launch], of: "a")
            try fixture.write([UInt8(number)], "pending-dumps/crumbs")
            let id = try #require(launch.breadcrumbs)
            #expect(
                try database.keepBreadcrumbFile("crumbs", in: directory, as: id, of: "a"))
            kept.append(launch)
        }
        try database.record([launch(13, .cleanly, start: 13, last: 13)], of: "a")
        for (index, launch) in kept.enumerated() {
            let bytes = try database.breadcrumbFile(of: launch, bundleID: "a")
            #expect((bytes?.count == 1) == (index >= 2))
        }
    }
}
