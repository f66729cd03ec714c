// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct BrokenMetadataTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    /// A report, with other bytes where its metadata was.
    private func report(
        _ state: ReportState = .pending, with edit: (inout [UInt8]) -> Void
    ) throws -> (Report, meta: String) {
        let report = try fixture.file()
        if state == .completed { try database.skipUpload(of: report.uuid) }
        let meta = "\(state.rawValue)/\(report.stem).meta"
        var bytes = try fixture.bytes(meta)
        edit(&bytes)
        try fixture.write(bytes, meta)
        for (name, seconds) in [
            ("\(state.rawValue)/\(report.stem).dmp", 1_600_000_000), (meta, 1_650_000_000),
        ] {
            let time = timeval(tv_sec: seconds, tv_usec: 0)
            #expect(utimes(fixture.path(name), [time, time]) == 0)
        }
        return (report, meta)
    }

    private var quarantine: [String] {
        (try? fixture.names("quarantine")) ?? []
    }

    @Test(
        "A report whose metadata is cut at any length is listed and told of, and nothing changes",
        arguments: 0..<32)
    func cut(count: Int) throws {
        let good = try fixture.file()
        let (bad, meta) = try report { $0.removeSubrange(count...) }
        let before = try fixture.bytes(meta)
        let list = try database.reports(.pending)
        #expect(Set(list.reports.map(\.uuid)) == [good.uuid, bad.uuid])
        #expect(list.problems.map(\.path) == [bad.path])
        #expect(list.problems.first?.sentence.contains("\(count) bytes") == true)
        let listed = try database.report(bad.uuid)
        #expect(listed.metadataProblem == list.problems.first?.sentence)
        #expect(listed.creationTime == Timestamp(secondsSince1970: 1_600_000_000))
        #expect(listed.lastUploadAttemptTime == Timestamp(secondsSince1970: 1_650_000_000))
        #expect(listed.uploadAttempts == 1)
        #expect(!listed.isUploaded && !listed.isUploadRequested && listed.serverID == "")
        #expect(try fixture.bytes(meta) == before)
        #expect(quarantine.isEmpty)
        #expect(try database.isFiled(bad.uuid))
    }

    @Test("When the report is sent the broken metadata is kept aside and made anew")
    func sent() throws {
        let (bad, meta) = try report { $0 = Array("nonsense".utf8) }
        let attempt = try database.beginUpload(of: bad.uuid)
        #expect(attempt.report.uploadAttempts == 2)
        #expect(attempt.report.metadataProblem == nil)
        #expect(quarantine == ["\(bad.stem).meta.corrupt-1700000000"])
        #expect(
            try fixture.bytes("quarantine/" + quarantine[0]) == Array("nonsense".utf8))
        #expect(try fixture.bytes(meta).count == 32)
        try attempt.recordSuccess(serverID: "s")
        #expect(try database.report(bad.uuid).isUploaded)
        #expect(try database.reports(.pending).problems.isEmpty)
    }

    @Test("A completed report whose metadata is broken is never sent by itself, and still can be")
    func completed() throws {
        let (bad, _) = try report(.completed) { $0 = [] }
        var listed = try database.report(bad.uuid)
        #expect(listed.state == .completed && !listed.isUploaded)
        #expect(throws: DatabaseError.notFound(bad.stem)) {
            try database.beginUpload(of: bad.uuid)
        }
        #expect(throws: DatabaseError.alreadyFiled(bad.uuid)) {
            try database.prepareReport(bad.uuid)
        }
        try database.requestUpload(of: bad.uuid)
        listed = try database.report(bad.uuid)
        #expect(listed.state == .pending && listed.isUploadRequested)
        #expect(quarantine.count == 1)
    }

    @Test("Whatever lies in the metadata's place is kept aside", arguments: 0..<4)
    func otherKinds(kind: Int) throws {
        let (bad, meta) = try report { _ in }
        let path = fixture.path(meta)
        unlink(path)
        switch kind {
        case 0: symlink("/etc/passwd", path)
        case 1: mkfifo(path, 0o600)
        case 2: try Directory.make(path)
        default:
            try fixture.write([1, 0, 0, 0], meta)
            truncate(path, 1 << 40)
        }
        #expect(try database.reports(.pending).problems.count == 1)
        try database.beginUpload(of: bad.uuid).recordFailure()
        #expect(try database.report(bad.uuid).uploadAttempts == 2)
        #expect(quarantine.count == 1)
        let kept = try #require(
            try Directory(opening: fixture.path("quarantine")).status(of: quarantine[0]))
        let kinds: [FileStatus.Kind] = [.symbolicLink, .other, .directory, .regular]
        #expect(kept.kind == kinds[kind])
    }

    @Test("Two broken files of one report in one second are both kept")
    func twice() throws {
        let (bad, meta) = try report { $0 = [1] }
        try database.requestUpload(of: bad.uuid)
        try fixture.write([2], meta)
        try database.requestUpload(of: bad.uuid)
        let first = "quarantine/\(bad.stem).meta.corrupt-1700000000"
        #expect(try fixture.bytes(first) == [1])
        #expect(try fixture.bytes(first + "-2") == [2])
    }

    @Test("A later program's metadata is told of and left alone, and the report is not sent")
    func laterVersion() throws {
        let (report, meta) = try report { $0[0] = 2 }
        let before = try fixture.bytes(meta)
        let problem = try #require(try database.reports(.pending).problems.first)
        #expect(problem.sentence.contains("version 2"))
        let expected = DatabaseError.laterVersion(path: fixture.path(meta), version: 2)
        for call in [
            { _ = try database.beginUpload(of: report.uuid) },
            { try database.skipUpload(of: report.uuid) },
            { try database.requestUpload(of: report.uuid) },
        ] {
            #expect(throws: expected) { try call() }
        }
        #expect(try fixture.bytes(meta) == before)
        #expect(try fixture.names("pending").count == 2)
        #expect(try database.contents(of: database.report(report.uuid)).count == 3)
    }

    @Test("Versions nobody wrote are broken", arguments: [0, 0xFF] as [UInt8])
    func impossibleVersion(byte: UInt8) throws {
        let (bad, _) = try report { bytes in
            for index in 0..<4 { bytes[index] = byte }
        }
        try database.beginUpload(of: bad.uuid).recordFailure()
        #expect(quarantine.count == 1)
    }

    @Test("Impossible numbers in whole metadata are no trap")
    func impossibleNumbers() throws {
        for byte in [0x80, 0x7F, 0xFF] as [UInt8] {
            let (report, _) = try report { bytes in
                for index in 4..<24 { bytes[index] = byte }
            }
            let listed = try database.report(report.uuid)
            #expect(listed.uploadAttempts >= 0)
            try database.beginUpload(of: report.uuid).recordFailure()
        }
    }

    @Test("Broken metadata of an interrupted move is kept, and the report stays where it is")
    func interruptedMove() throws {
        let report = try fixture.file()
        try fixture.write([9, 9], "completed/\(report.stem).meta")
        try database.beginUpload(of: report.uuid).recordFailure()
        #expect(quarantine == ["\(report.stem).meta.corrupt-1700000000"])
        #expect(try fixture.names("completed").isEmpty)
        #expect(try database.report(report.uuid).state == .pending)
    }
}
