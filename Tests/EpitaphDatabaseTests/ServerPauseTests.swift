// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite("Servers that want to be left alone")
struct ServerPauseTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }
    var now: Timestamp { fixture.clock.now() }

    init() throws {
        fixture = try Fixture()
    }

    @Test("A pause holds for its server, in every process, until it is over")
    func pause() throws {
        #expect(try database.pauseEnd(of: "https://a") == nil)
        try database.pause("https://a", until: now + 60)
        try database.pause("https://b", until: now + 600)
        let other = try fixture.reopened()
        #expect(try other.pauseEnd(of: "https://a") == now + 61)
        #expect(try other.pauseEnd(of: "https://c") == nil)
        fixture.clock.advance(bySeconds: 61)
        #expect(try other.pauseEnd(of: "https://a") == nil)
        #expect(try other.pauseEnd(of: "https://b") != nil)
        try database.pause("https://c", until: now + 60)
        let text = String(decoding: try fixture.bytes("delivery/servers.json"), as: UTF8.self)
        #expect(!text.contains("https://a") && text.contains("https://b"))
    }

    @Test("However many servers, the file stays small, and the longest pauses are kept")
    func bounded() throws {
        for index in 0..<40 { try database.pause("s\(index)", until: now + Double(100 + index)) }
        #expect(try database.pauseEnd(of: "s39") != nil)
        #expect(try database.pauseEnd(of: "s0") == nil)
        #expect(try fixture.bytes("delivery/servers.json").count < 1_000)
    }

    @Test("A broken file is kept aside", arguments: ["", "[]", #"{"version":1}"#, "{"])
    func broken(text: String) throws {
        try database.pause("s", until: now + 60)
        try fixture.write(Array(text.utf8), "delivery/servers.json")
        #expect(try database.pauseEnd(of: "s") == nil)
        #expect(try fixture.names("delivery") == ["servers.json.corrupt-1700000000"])
        try database.pause("s", until: now + 60)
        #expect(try database.pauseEnd(of: "s") != nil)
    }
}
