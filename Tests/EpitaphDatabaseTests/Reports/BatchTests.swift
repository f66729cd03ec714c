// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Several reports in one step")
struct BatchTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    private func written(_ count: Int) throws -> [NewReport] {
        try (0..<count).map { number in
            let report = try database.prepareReport()
            try report.append([UInt8(number)])
            return report
        }
    }

    @Test("All are filed, in their order", arguments: [1, 2, 40])
    func filed(count: Int) throws {
        let reports = try written(count)
        #expect(database.file(reports).allSatisfy { $0 == nil })
        #expect(try database.reports(.pending).reports.map(\.uuid) == reports.map(\.uuid))
        #expect(try fixture.names("new") == [])
        #expect(try fixture.names("pending").count { $0.hasSuffix(".lock") } == 0)
    }

    @Test("One that cannot be filed stops no other, and leaves nothing of itself")
    func oneFails() throws {
        let reports = try written(3)
        // Nothing can be renamed over a directory that is not empty.
        let stem = reports[1].uuid.description
        try FileManager.default.createDirectory(
            atPath: fixture.path("pending/\(stem).dmp/full"), withIntermediateDirectories: true)
        let failures = database.file(reports)
        #expect(failures[0] == nil && failures[1] != nil && failures[2] == nil)
        try FileManager.default.removeItem(atPath: fixture.path("pending/\(stem).dmp"))
        #expect(
            try Set(database.reports(.pending).reports.map(\.uuid))
                == [reports[0].uuid, reports[2].uuid])
        #expect(try fixture.names("pending").count { $0.hasPrefix(stem) } == 0)
        reports[1].abandon()
        #expect(try fixture.names("new") == [])
    }

    @Test("Attempts of several reports are counted before any is sent, and can be given back")
    func attempts() throws {
        let reports = try (0..<12).map { _ in try fixture.file() }
        let starts = database.beginUploads(of: reports.map(\.uuid) + [Epitaph.ID()])
        #expect(starts.count == 13)
        let begun = try starts.dropLast().map { try $0.get() }
        #expect(throws: DatabaseError.self) { try starts[12].get() }
        let counted = try database.reports(.pending).reports
        #expect(counted.allSatisfy { $0.uploadAttempts == 1 && $0.isLocked })
        #expect(throws: DatabaseError.busy(reports[0].uuid)) {
            try fixture.reopened().beginUpload(of: reports[0].uuid)
        }
        #expect(database.withdraw(begun).allSatisfy { $0 == nil })
        let free = try database.reports(.pending).reports
        #expect(free.allSatisfy { $0.uploadAttempts == 0 && !$0.isLocked })
        #expect(free.allSatisfy { $0.lastUploadAttemptTime == nil })
    }

    @Test("Successes of several reports are recorded together; one that was removed is no trouble")
    func successes() throws {
        let reports = try (0..<12).map { _ in try fixture.file() }
        let attempts = try database.beginUploads(of: reports.map(\.uuid)).map { try $0.get() }
        let stem = reports[3].stem
        try FileManager.default.removeItem(atPath: fixture.path("pending/\(stem).dmp"))
        let failures = database.recordSuccesses(
            attempts.map { (attempt: $0, serverID: "id \($0.report.stem)") })
        for (index, failure) in failures.enumerated() {
            #expect(failure == (index == 3 ? .notFound(stem) : nil))
        }
        #expect(attempts.allSatisfy { !$0.isOpen })
        let completed = try database.reports(.completed).reports
        #expect(completed.count == 11)
        #expect(completed.allSatisfy { $0.isUploaded && $0.serverID == "id \($0.stem)" })
        #expect(try database.reports(.pending).reports == [])
        #expect(try fixture.names("completed").count { $0.hasSuffix(".lock") } == 0)
        // Completed twice: the second time no attempt holds it.
        #expect(
            database.recordSuccesses([(attempt: attempts[0], serverID: "")])
                == [.notFound(reports[0].stem)])
    }

    @Test("Where one success cannot be filed it is noted, and the others are filed")
    func noted() throws {
        let reports = try (0..<3).map { _ in try fixture.file() }
        let attempts = try database.beginUploads(of: reports.map(\.uuid)).map { try $0.get() }
        try FileManager.default.createDirectory(
            atPath: fixture.path("completed/\(reports[1].stem).meta/full"),
            withIntermediateDirectories: true)
        let failures = database.recordSuccesses(attempts.map { (attempt: $0, serverID: "s") })
        #expect(failures[0] == nil && failures[1] != nil && failures[2] == nil)
        #expect(try database.deliveryState(of: reports[1].uuid).acceptedServerID == "s")
        #expect(try database.reports(.completed).reports.count == 2)
    }
}
