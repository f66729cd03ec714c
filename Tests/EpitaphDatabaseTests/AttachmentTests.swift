// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite struct AttachmentTests {
    @Test("Attachments are stored, counted, read back and removed with the report")
    func attachments() throws {
        let fixture = try Fixture()
        let new = try fixture.database.prepareReport()
        try new.append([1, 2, 3])
        for name in ["log-1.txt", "B_2"] {
            try new.addAttachment(name).writeAll([4, 5], at: 0)
        }
        #expect(throws: DatabaseError.self) { try new.addAttachment("B_2") }
        let report = try new.finish()
        #expect(report.sizeBytes == 7)
        #expect(try fixture.database.attachmentNames(of: report.uuid) == ["B_2", "log-1.txt"])
        let attachment = try fixture.database.attachment("B_2", of: report.uuid)
        #expect(try attachment.readAll() == [4, 5])
        try fixture.database.delete(report.uuid)
        #expect(try fixture.names("attachments").isEmpty)
        #expect(try fixture.database.attachmentNames(of: report.uuid) == [])
    }

    @Test(
        "An attachment's name cannot leave its directory",
        arguments: ["", ".", "..", "a/b", "a b", "é", "a\0", String(repeating: "a", count: 256)])
    func badAttachment(name: String) throws {
        let fixture = try Fixture()
        let report = try fixture.database.prepareReport()
        #expect(throws: DatabaseError.badAttachmentName(name)) { try report.addAttachment(name) }
    }
}
