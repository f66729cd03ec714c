// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite("What a server calls a report")
struct ServerNameTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    @Test("Is kept on one line, without what drives a terminal, and cut")
    func kept() throws {
        let uuid = try fixture.file().uuid
        let name = "bp\u{1b}[2J-1\u{0}\r\n\u{202e}" + String(repeating: "x", count: 65_536)
        try database.beginUpload(of: uuid).recordSuccess(serverID: name)
        let report = try database.report(uuid)
        #expect(report.serverID.hasPrefix("bp [2J-1") && report.serverID.count == 256)
        let stored = try fixture.bytes("completed/\(report.stem).meta").dropFirst(32)
        #expect(stored.count == 256 && stored.allSatisfy { (0x20...0x7e).contains($0) })
    }

    @Test("That an earlier version kept raw is shown clean, and written clean at the next change")
    func earlier() throws {
        let report = try fixture.file()
        try database.beginUpload(of: report.uuid).recordSuccess(serverID: "id")
        let path = "completed/\(report.stem).meta"
        let raw = Array("a\u{1b}]0;title\u{7}\n".utf8) + [0, 0xff]
        try fixture.write(try fixture.bytes(path).prefix(32) + raw, path)
        #expect(try database.report(report.uuid).serverID == "a ]0;title   \u{fffd}")
    }

    @Test("While it could not be filed is clean as well")
    func accepted() throws {
        let report = try fixture.file()
        try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
        try fixture.write(
            Array(#"{"version":1,"accepted_as":"a\u001b[31mb\n"}"#.utf8),
            "delivery/\(report.stem).json")
        #expect(try database.deliveryState(of: report.uuid).acceptedServerID == "a [31mb")
    }
}
