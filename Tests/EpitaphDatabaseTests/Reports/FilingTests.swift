// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct FilingTests {
    @Test("A new database has four directories for its owner only, and no settings yet")
    func layout() throws {
        let fixture = try Fixture()
        #expect(try fixture.names("") == ["attachments", "completed", "new", "pending"])
        for name in ["", "attachments", "completed", "new", "pending"] {
            let mode = try FileManager.default.attributesOfItem(atPath: fixture.path(name))
            #expect((mode[.posixPermissions] as? Int) == 0o700)
        }
        #expect(try fixture.database.reports(.pending) == ReportList())
        #expect(try fixture.database.reports(.completed) == ReportList())
    }

    @Test("A database that is not there is opened only to make it")
    func missing() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path("db")
        #expect(throws: DatabaseError.missing(path: path)) {
            try ReportDatabase(opening: path, ifMissing: .fail)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(throws: DatabaseError.self) {
            try ReportDatabase(opening: temporary.path("no/such/parent"), ifMissing: .create)
        }
        #expect(throws: DatabaseError.self) {
            try ReportDatabase(opening: "/proc/epitaph", ifMissing: .create)
        }
    }

    @Test("Opening what is there makes nothing")
    func makesNothing() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path("db")
        try Directory.make(path)
        #expect(throws: DatabaseError.missing(path: path)) {
            try ReportDatabase(opening: path, ifMissing: .fail)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        _ = try ReportDatabase(opening: path, ifMissing: .create)
        _ = try ReportDatabase(opening: path, ifMissing: .fail)
    }

    @Test("A file or a symbolic link in the database's place is refused")
    func refusesLinks() throws {
        let temporary = try TemporaryDirectory()
        try Directory.make(temporary.path("real"))
        symlink("real", temporary.path("link"))
        try temporary.write([], to: "file")
        for name in ["link", "file"] {
            #expect(throws: DatabaseError.self) {
                try ReportDatabase(opening: temporary.path(name), ifMissing: .create)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path("real")) == [])
    }

    @Test("A filed report has its fields, and its metadata is Crashpad's, byte for byte")
    func metadataBytes() throws {
        let fixture = try Fixture()
        let uuid = try #require(Epitaph.ID("00112233-4455-6677-8899-AABBCCDDEEFF"))
        let report = try fixture.file([7, 8, 9, 10], uuid)
        #expect(report.uuid == uuid)
        #expect(report.state == .pending)
        #expect(report.path == fixture.path("pending/00112233-4455-6677-8899-aabbccddeeff.dmp"))
        #expect(report.creationTime == Timestamp(secondsSince1970: 1_700_000_000))
        #expect(report.uploadAttempts == 0)
        #expect(report.lastUploadAttemptTime == nil)
        #expect(!report.isUploaded && !report.isUploadRequested && !report.isLocked)
        #expect(report.serverID == "")
        #expect(report.sizeBytes == 4)
        #expect(try fixture.bytes("pending/\(report.stem).dmp") == [7, 8, 9, 10])
        // 1 700 000 000 = 0x6553F100
        let expected: [UInt8] =
            [1, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
            + [0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0] + [0] + [0, 0, 0, 0, 0, 0, 0]
        #expect(try fixture.bytes("pending/\(report.stem).meta") == expected)
        #expect(try fixture.names("pending") == ["\(report.stem).dmp", "\(report.stem).meta"])
        #expect(try fixture.names("new").isEmpty)
        for name in ["dmp", "meta"] {
            let path = fixture.path("pending/\(report.stem).\(name)")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect((mode as? Int) == 0o600)
        }
    }

    @Test("A report that is dropped or abandoned leaves nothing")
    func abandon() throws {
        let fixture = try Fixture()
        var report: NewReport? = try fixture.database.prepareReport()
        try report?.append([1])
        _ = try report?.addAttachment("log")
        #expect(try fixture.names("new").count == 1)
        report = nil
        #expect(try fixture.names("new").isEmpty)
        #expect(try fixture.names("attachments").isEmpty)
        let other = try fixture.database.prepareReport()
        other.abandon()
        #expect(throws: DatabaseError.self) { try other.finish() }
        #expect(try fixture.database.reports(.pending) == ReportList())
    }

    @Test("One id is filed once, and two writers of it do not mix")
    func oneID() throws {
        let fixture = try Fixture()
        let uuid = Epitaph.ID()
        let first = try fixture.database.prepareReport(uuid)
        #expect(throws: DatabaseError.busy(uuid)) { try fixture.reopened().prepareReport(uuid) }
        #expect(try fixture.database.isFiled(uuid) == false)
        try first.finish()
        #expect(try fixture.database.isFiled(uuid) == true)
        #expect(throws: DatabaseError.alreadyFiled(uuid)) {
            try fixture.database.prepareReport(uuid)
        }
    }

    @Test("What a dead writer left in new/ is used again, from its start")
    func leftover() throws {
        let fixture = try Fixture()
        let uuid = Epitaph.ID()
        let stem = uuid.description
        try fixture.write([9, 9, 9, 9, 9, 9], "new/\(stem).dmp")
        try fixture.write([9], "new/\(stem).meta")
        try Directory.make(fixture.path("attachments/\(stem)"))
        try fixture.write([9], "attachments/\(stem)/old")
        let report = try fixture.file([1, 2], uuid)
        #expect(try fixture.bytes("pending/\(stem).dmp") == [1, 2])
        #expect(report.sizeBytes == 2)
        #expect(try fixture.names("new").isEmpty)
    }

    @Test("A report whose metadata was lost can be filed again from its source")
    func refile() throws {
        let fixture = try Fixture()
        let uuid = Epitaph.ID()
        let stem = uuid.description
        try fixture.write([9, 9, 9], "pending/\(stem).dmp")
        #expect(try fixture.database.isFiled(uuid) == false)
        try fixture.file([1], uuid)
        #expect(try fixture.bytes("pending/\(stem).dmp") == [1])
    }

    @Test("A database renamed while it is open goes on working, and opens at its new path")
    func renamed() throws {
        let fixture = try Fixture()
        let report = try fixture.file()
        rename(fixture.temporary.path("db"), fixture.temporary.path("moved"))
        try fixture.file()
        let moved = try ReportDatabase(
            opening: fixture.temporary.path("moved"), ifMissing: .fail, clock: fixture.clock)
        #expect(try moved.reports(.pending).reports.count == 2)
        #expect(try moved.report(report.uuid).sizeBytes == 3)
    }

    @Test(
        "Filing that fails at any of its steps leaves no report and can be done again",
        arguments: [
            "new/*.meta", "pending/*.dmp", "pending/*.lock",
        ])
    func filingFails(obstacle: String) throws {
        let fixture = try Fixture()
        let uuid = Epitaph.ID()
        let name = obstacle.replacingOccurrences(of: "*", with: uuid.description)
        // A directory where a file should come: each system call on it fails.
        try Directory.make(fixture.path(name))
        let report = try fixture.database.prepareReport(uuid)
        try report.append([1, 2])
        #expect(throws: DatabaseError.self) { try report.finish() }
        report.abandon()
        #expect(try fixture.database.reports(.pending).reports.isEmpty)
        #expect(
            try fixture.names("pending") + fixture.names("new") == [
                String(name.split(separator: "/")[1])
            ])
        rmdir(fixture.path(name))
        #expect(try fixture.file([3], uuid).sizeBytes == 1)
    }
}
