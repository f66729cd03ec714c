// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import Foundation
import Testing

@Suite struct RemovedDirectoryTests {
    @Test(
        "A directory that somebody removed is made again, and the reports are still there",
        arguments: ["new", "completed", "attachments"])
    func removed(name: String) throws {
        let fixture = try Fixture()
        let report = try fixture.file()
        #expect(try fixture.reopened().repaired == [])
        try FileManager.default.removeItem(atPath: fixture.path(name))
        let database = try fixture.reopened()
        #expect(database.repaired == [name])
        #expect(try database.reports(.pending).reports.map(\.uuid) == [report.uuid])
        #expect(try database.attachmentNames(of: report.uuid) == [])
        #expect(try fixture.names(name) == [])
        #expect(try fixture.reopened().repaired == [])
    }

    @Test("A directory that has none of them is no database, and nothing is made in it")
    func none() throws {
        let fixture = try Fixture()
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path("")) {
            try FileManager.default.removeItem(atPath: fixture.path(name))
        }
        #expect(throws: DatabaseError.self) { try fixture.reopened() }
        #expect(try fixture.names("") == [])
    }
}
