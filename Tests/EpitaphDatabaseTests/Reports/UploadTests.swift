// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct UploadTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    @Test("Attempts are counted before their outcome is known, in the report and the settings")
    func attempts() throws {
        let uuid = try fixture.file().uuid
        for count in 1...3 {
            fixture.clock.advance(bySeconds: 60)
            let attempt = try database.beginUpload(of: uuid)
            #expect(attempt.report.uploadAttempts == count)
            #expect(attempt.report.lastUploadAttemptTime == fixture.clock.now())
            #expect(try database.report(uuid).isLocked)
            #expect(try database.settings().lastUploadAttemptTime == fixture.clock.now())
            if count == 3 { try attempt.recordSuccess(serverID: "crash/42 é\n") }
            attempt.recordFailure()
        }
        let report = try database.report(uuid)
        #expect(report.state == .completed)
        #expect(report.isUploaded && !report.isUploadRequested && !report.isLocked)
        #expect(report.uploadAttempts == 3)
        #expect(report.serverID == "crash/42 é")
        #expect(report.creationTime == Timestamp(secondsSince1970: 1_700_000_000))
        #expect(report.lastUploadAttemptTime == Timestamp(secondsSince1970: 1_700_000_180))
        #expect(try fixture.names("pending").isEmpty)
        #expect(try fixture.names("completed") == ["\(report.stem).dmp", "\(report.stem).meta"])
        // 1 700 000 180 = 0x6553F1B4
        let expected: [UInt8] =
            [1, 0, 0, 0] + [3, 0, 0, 0] + [0xB4, 0xF1, 0x53, 0x65, 0, 0, 0, 0]
            + [0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0] + [1] + [0, 0, 0, 0, 0, 0, 0]
            + Array("crash/42 é".utf8)
        #expect(try fixture.bytes("completed/\(report.stem).meta") == expected)
    }

    @Test("A report being sent is busy for everyone else and still listed")
    func busy() throws {
        let uuid = try fixture.file().uuid
        let attempt = try database.beginUpload(of: uuid)
        let other = try fixture.reopened()
        #expect(throws: DatabaseError.busy(uuid)) { try other.beginUpload(of: uuid) }
        #expect(throws: DatabaseError.busy(uuid)) { try other.skipUpload(of: uuid) }
        #expect(throws: DatabaseError.busy(uuid)) { try other.requestUpload(of: uuid) }
        #expect(throws: DatabaseError.busy(uuid)) { try other.delete(uuid) }
        #expect(try other.reports(.pending).reports.map(\.isLocked) == [true])
        attempt.recordFailure()
        #expect(try other.reports(.pending).reports.map(\.isLocked) == [false])
        try other.delete(uuid)
    }

    @Test("An attempt dropped without an outcome counts as failed")
    func dropped() throws {
        let uuid = try fixture.file().uuid
        _ = try database.beginUpload(of: uuid)
        let report = try database.report(uuid)
        #expect(report.state == .pending && report.uploadAttempts == 1 && !report.isLocked)
    }

    @Test("An outcome can be recorded once")
    func outcomeOnce() throws {
        let report = try fixture.file()
        let attempt = try database.beginUpload(of: report.uuid)
        attempt.recordFailure()
        #expect(throws: DatabaseError.notFound(report.stem)) {
            try attempt.recordSuccess(serverID: "late")
        }
        #expect(try !database.report(report.uuid).isUploaded)
    }

    @Test("What was uploaded is not found for another upload and cannot be asked for")
    func uploadedOnce() throws {
        let uuid = try fixture.file().uuid
        try database.beginUpload(of: uuid).recordSuccess(serverID: "1")
        let stem = uuid.description
        #expect(throws: DatabaseError.notFound(stem)) { try database.beginUpload(of: uuid) }
        #expect(throws: DatabaseError.notFound(stem)) { try database.skipUpload(of: uuid) }
        #expect(throws: DatabaseError.alreadyUploaded(uuid)) {
            try database.requestUpload(of: uuid)
        }
    }

    @Test("A skipped report is completed, not uploaded; asked for, it is pending again")
    func skipAndRequest() throws {
        let uuid = try fixture.file().uuid
        try database.requestUpload(of: uuid)
        #expect(try database.report(uuid).isUploadRequested)
        try database.skipUpload(of: uuid)
        var report = try database.report(uuid)
        #expect(report.state == .completed && !report.isUploaded && !report.isUploadRequested)
        try database.requestUpload(of: uuid)
        report = try database.report(uuid)
        #expect(report.state == .pending && report.isUploadRequested)
        // Bit 1 of byte 24.
        #expect(try fixture.bytes("pending/\(report.stem).meta")[24] == 2)
        #expect(try fixture.names("completed").isEmpty)
    }

    @Test("A report is deleted once, pending or completed")
    func delete() throws {
        let pending = try fixture.file().uuid
        let completed = try fixture.file().uuid
        try database.skipUpload(of: completed)
        for uuid in [pending, completed] {
            try database.delete(uuid)
            let stem = uuid.description
            #expect(throws: DatabaseError.notFound(stem)) { try database.delete(uuid) }
            #expect(throws: DatabaseError.notFound(stem)) { try database.report(uuid) }
        }
        #expect(try fixture.names("pending").isEmpty)
        #expect(try fixture.names("completed").isEmpty)
    }

    @Test("A minidump removed from outside is not found")
    func removedOutside() throws {
        let report = try fixture.file()
        unlink(report.path)
        #expect(throws: DatabaseError.notFound(report.stem)) {
            try database.beginUpload(of: report.uuid)
        }
        #expect(throws: DatabaseError.notFound(report.stem)) { try database.contents(of: report) }
    }

    @Test("An upload recorded but cut off before the report moved is not sent again")
    func interruptedMove() throws {
        let report = try fixture.file()
        var meta = try fixture.bytes("pending/\(report.stem).meta")
        meta[24] = 1
        try fixture.write(meta, "completed/\(report.stem).meta")
        #expect(throws: DatabaseError.alreadyUploaded(report.uuid)) {
            try database.beginUpload(of: report.uuid)
        }
        #expect(try database.report(report.uuid).state == .completed)
        #expect(try fixture.names("pending").isEmpty)
    }

    @Test("What is left of an interrupted skip does not stop an upload")
    func interruptedSkip() throws {
        let report = try fixture.file()
        try fixture.write(
            fixture.bytes("pending/\(report.stem).meta"), "completed/\(report.stem).meta")
        try database.beginUpload(of: report.uuid).recordSuccess(serverID: "x")
        #expect(try database.report(report.uuid).serverID == "x")
        #expect(try fixture.names("completed").count == 2)
    }
}
