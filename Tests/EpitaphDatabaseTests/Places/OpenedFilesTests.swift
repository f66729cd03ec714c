// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite("Files of a report are handed out open")
struct OpenedFilesTests {
    @Test("A minidump is opened in the state the report is in now")
    func otherState() throws {
        let fixture = try Fixture()
        let report = try fixture.file([1, 2, 3])
        try fixture.reopened().skipUpload(of: report.uuid)
        #expect(try fixture.database.openMinidump(of: report.uuid).readAll() == [1, 2, 3])
        #expect(try fixture.database.contents(of: report).array == [1, 2, 3])
        try fixture.database.delete(report.uuid)
        #expect(throws: DatabaseError.notFound(report.stem)) {
            try fixture.database.openMinidump(of: report.uuid)
        }
    }

    @Test("An open minidump stays the report's while its place goes to another")
    func replacedName() throws {
        let fixture = try Fixture()
        let report = try fixture.file([1, 2, 3])
        let open = try fixture.database.openMinidump(of: report.uuid)
        try FileManager.default.removeItem(atPath: report.path)
        try fixture.write([9, 9], "pending/\(report.stem).dmp")
        #expect(try open.readAll() == [1, 2, 3])
    }

    @Test(
        "Nothing but a regular file is opened in a report's or an attachment's place",
        arguments: ["link", "directory", "pipe"])
    func otherKinds(kind: String) throws {
        let fixture = try Fixture()
        let new = try fixture.database.prepareReport()
        try new.append([1])
        try new.addAttachment("log").writeAll([4], at: 0)
        let report = try new.finish()
        for name in ["pending/\(report.stem).dmp", "attachments/\(report.stem)/log"] {
            try FileManager.default.removeItem(atPath: fixture.path(name))
            switch kind {
            case "link": #expect(symlink("/etc/passwd", fixture.path(name)) == 0)
            case "directory": #expect(mkdir(fixture.path(name), 0o700) == 0)
            default: #expect(mkfifo(fixture.path(name), 0o600) == 0)
            }
        }
        #expect(throws: DatabaseError.self) { try fixture.database.openMinidump(of: report.uuid) }
        #expect(throws: DatabaseError.self) {
            try fixture.database.attachment("log", of: report.uuid)
        }
    }

    @Test("A database that is renamed, with another in its place, goes on with its own files")
    func renamedDatabase() throws {
        let fixture = try Fixture()
        let report = try fixture.file([1, 2, 3])
        let (old, aside) = (fixture.temporary.path("db"), fixture.temporary.path("aside"))
        try FileManager.default.moveItem(atPath: old, toPath: aside)
        let other = try ReportDatabase(opening: old, ifMissing: .create, clock: fixture.clock)
        let new = try other.prepareReport(report.uuid)
        try new.append([6, 6, 6])
        try new.finish()
        #expect(try fixture.database.openMinidump(of: report.uuid).readAll() == [1, 2, 3])
        try fixture.database.updateSettings { $0.uploadsEnabled = true }
        #expect(try other.storedSettings() == nil)
        try fixture.database.delete(report.uuid)
        #expect(try other.openMinidump(of: report.uuid).readAll() == [6, 6, 6])
    }
}
