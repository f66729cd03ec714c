// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite("A success that cannot be filed at once")
struct UnfiledSuccessTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    /// Makes a directory a place nothing can be renamed into, whoever runs the test.
    private func block(_ name: String, in directory: String) throws {
        let path = fixture.path("\(directory)/\(name)")
        #expect(mkdir(path, 0o700) == 0)
        #expect(mkdir(path + "/full", 0o700) == 0)
    }

    private func unblock(_ name: String, in directory: String) throws {
        try FileManager.default.removeItem(atPath: fixture.path("\(directory)/\(name)"))
    }

    @Test("It is noted in the delivery state, and the next attempt files it instead of sending")
    func noted() throws {
        let report = try fixture.file()
        let attempt = try database.beginUpload(of: report.uuid)
        try block("\(report.stem).meta", in: "completed")
        #expect(throws: DatabaseError.self) { try attempt.recordSuccess(serverID: "bp-9") }
        #expect(!attempt.isOpen)
        #expect(try database.deliveryState(of: report.uuid).acceptedServerID == "bp-9")

        // As long as what is in the way cannot be put aside, it is not sent either.
        try fixture.write([], "quarantine")
        #expect {
            try database.beginUpload(of: report.uuid)
        } throws: {
            if case .system = $0 as? DatabaseError { true } else { false }
        }
        #expect(try database.report(report.uuid).uploadAttempts == 1)

        try FileManager.default.removeItem(atPath: fixture.path("quarantine"))
        #expect(throws: DatabaseError.alreadyUploaded(report.uuid)) {
            try fixture.reopened().beginUpload(of: report.uuid)
        }
        let filed = try database.report(report.uuid)
        #expect(filed.state == .completed && filed.isUploaded && filed.serverID == "bp-9")
        #expect(try fixture.names("delivery").isEmpty)
        #expect(!filed.isLocked)
    }

    @Test("Where not even that can be written, one bit of the metadata tells it, in place")
    func bit() throws {
        let report = try fixture.file()
        let attempt = try database.beginUpload(of: report.uuid)
        try block("\(report.stem).meta", in: "completed")
        // A file where the directory should be: no delivery state can be written.
        try fixture.write([], "delivery")
        #expect(throws: DatabaseError.self) { try attempt.recordSuccess(serverID: "bp-9") }
        #expect(!attempt.isOpen)
        #expect(try fixture.bytes("pending/\(report.stem).meta")[24] == 1)
        #expect(try fixture.bytes("pending/\(report.stem).meta").count == 32)
        try unblock("\(report.stem).meta", in: "completed")
        try FileManager.default.removeItem(atPath: fixture.path("delivery"))
        #expect(throws: DatabaseError.alreadyUploaded(report.uuid)) {
            try database.beginUpload(of: report.uuid)
        }
        #expect(try database.report(report.uuid).isUploaded)
    }

    @Test("Where nothing can be written, the attempt stays open, and the report busy for others")
    func open() throws {
        let report = try fixture.file()
        let attempt = try database.beginUpload(of: report.uuid)
        try block("\(report.stem).meta", in: "completed")
        try fixture.write([], "delivery")
        // Nor can the metadata be changed, or put aside to be made anew.
        try fixture.write([], "quarantine")
        let metadata = try fixture.bytes("pending/\(report.stem).meta")
        try FileManager.default.removeItem(atPath: fixture.path("pending/\(report.stem).meta"))
        try block("\(report.stem).meta", in: "pending")
        #expect(throws: DatabaseError.self) { try attempt.recordSuccess(serverID: "bp-9") }
        #expect(attempt.isOpen)
        try unblock("\(report.stem).meta", in: "pending")
        try fixture.write(metadata, "pending/\(report.stem).meta")
        #expect(throws: DatabaseError.busy(report.uuid)) {
            try fixture.reopened().beginUpload(of: report.uuid)
        }
        try unblock("\(report.stem).meta", in: "completed")
        try attempt.recordSuccess(serverID: "bp-9")
        #expect(!attempt.isOpen)
        #expect(try database.report(report.uuid).serverID == "bp-9")
    }

    @Test("A success whose process was killed before it was filed is sent again: nobody knew")
    func killed() throws {
        let report = try fixture.file()
        _ = try database.beginUpload(of: report.uuid)
        #expect(try database.beginUpload(of: report.uuid).report.uploadAttempts == 2)
    }

    @Test("An attempt that was withdrawn does not count")
    func withdrawn() throws {
        let uuid = try fixture.file().uuid
        try database.beginUpload(of: uuid).recordFailure()
        let first = try database.report(uuid)
        fixture.clock.advance(bySeconds: 50)
        try database.beginUpload(of: uuid).withdraw()
        #expect(try database.report(uuid) == first)
    }

    @Test("A failure settles the request it answers, and only then")
    func settled() throws {
        let uuid = try fixture.file().uuid
        try database.requestUpload(of: uuid)
        var state = DeliveryState()
        state.quickTries = 1
        try database.beginUpload(of: uuid).recordFailure(state)
        #expect(try database.report(uuid).isUploadRequested)
        state.isFinal = true
        try database.beginUpload(of: uuid).recordFailure(state, isRequestSettled: true)
        #expect(try !database.report(uuid).isUploadRequested)
        #expect(try database.deliveryState(of: uuid) == state)
        #expect(try !database.report(uuid).isLocked)
    }
}
