// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite("Destinations that took nothing when they were last tried")
struct DestinationStandingTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }
    var now: Timestamp { fixture.clock.now() }

    init() throws {
        fixture = try Fixture()
    }

    private func standing(_ tries: Int = 3) -> DestinationStanding {
        DestinationStanding(
            server: "https://a", trouble: .refused, since: now - 60, lastTry: now, tries: tries,
            status: 404, words: "no\nsuch \u{1b}[2J project", recovered: now - 99)
    }

    @Test("What is written is what is read, by every process, and it is JSON as documented")
    func roundTrip() throws {
        #expect(try database.standing(ofDestination: "https://a 0f3") == nil)
        try database.record(standing(), ofDestination: "https://a 0f3")
        let read = try fixture.reopened().standing(ofDestination: "https://a 0f3")
        #expect(read == standing() && read?.words == "no such  [2J project")
        let json = try JSONSerialization.jsonObject(
            with: Data(try fixture.bytes("delivery/destinations.json")))
        let expected: NSDictionary = [
            "version": 1,
            "destinations": [
                "https://a 0f3": [
                    "server": "https://a", "trouble": "refused", "since": 1_699_999_940,
                    "last_try": 1_700_000_000, "tries": 3, "status": 404,
                    "words": "no such  [2J project", "recovered": 1_699_999_901,
                ]
            ],
        ]
        #expect(json as? NSDictionary == expected)
    }

    @Test("However many destinations, the file stays small, and those tried last are kept")
    func bounded() throws {
        for index in 0..<40 {
            fixture.clock.advance(bySeconds: 1)
            try database.record(standing(), ofDestination: "d\(index)")
        }
        #expect(try database.standing(ofDestination: "d39") != nil)
        #expect(try database.standing(ofDestination: "d0") == nil)
        #expect(try fixture.bytes("delivery/destinations.json").count < 4_000)
    }

    @Test("A file that holds something else is kept aside and counts as missing")
    func broken() throws {
        try database.record(standing(), ofDestination: "d")
        try fixture.write(Array("[]".utf8), "delivery/destinations.json")
        #expect(try database.standing(ofDestination: "d") == nil)
        #expect(try fixture.names("delivery") == ["destinations.json.corrupt-1700000000"])
    }

    @Test("A person's request for a report makes every destination due")
    func request() throws {
        try database.record(standing(), ofDestination: "d")
        let report = try fixture.file()
        try database.requestUpload(of: report.uuid)
        let due = try #require(try database.standing(ofDestination: "d"))
        #expect(due.tries == 0 && due.trouble == .refused && due.since == now - 60)
    }

    @Test(
        "What an earlier version parked for a wrong key is no longer final; what it refused is",
        arguments: [
            (401, false), (403, false), (404, false), (407, false), (400, true), (413, true),
        ])
    func migration(status: Int, isFinal: Bool) throws {
        let report = try fixture.file()
        try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
        let old = """
            {"final":true,"last_outcome":{"server":"https://a","status":\(status),
            "time":1700000000,"words":"no"},"quick_tries":1,"version":1}
            """
        try fixture.write(Array(old.utf8), "delivery/\(report.stem).json")
        let state = try database.deliveryState(of: report.uuid)
        #expect(state.isFinal == isFinal)
        #expect(state.lastOutcome?.concernsDestination == !isFinal)
    }
}
