// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite("What is remembered of a delivery")
struct DeliveryStateTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    private var full: DeliveryState {
        var state = DeliveryState()
        state.notBefore = Timestamp(secondsSince1970: 1_700_000_120)
        state.quickTries = 3
        state.lastOutcome = .init(
            time: fixture.clock.now(), server: "https://crash.example.org", status: 413,
            words: "too\nlarge \u{1b}[31m")
        state.isFinal = true
        state.attachments = .offered
        state.consent = .send
        state.acceptedServerID = "bp-1"
        return state
    }

    @Test("Nothing is known of a report that was never tried, and no file is made")
    func absent() throws {
        let uuid = try fixture.file().uuid
        #expect(try database.deliveryState(of: uuid) == DeliveryState())
        try database.updateDeliveryState(of: uuid) { _ in }
        #expect(!fixture.exists("delivery"))
    }

    @Test("What is written is what is read, also by another process, and it is JSON as documented")
    func roundTrip() throws {
        let report = try fixture.file()
        let full = full
        try database.updateDeliveryState(of: report.uuid) { $0 = full }
        #expect(try fixture.reopened().deliveryState(of: report.uuid) == full)
        #expect(try fixture.names("delivery") == ["\(report.stem).json"])
        let json = try JSONSerialization.jsonObject(
            with: Data(try fixture.bytes("delivery/\(report.stem).json")))
        let expected: NSDictionary = [
            "version": 1, "not_before": 1_700_000_120, "quick_tries": 3, "final": true,
            "attachments": "offered", "consent": "send", "accepted_as": "bp-1",
            "last_outcome": [
                "time": 1_700_000_000, "server": "https://crash.example.org", "status": 413,
                "words": "too large  [31m", "destination": false,
            ],
        ]
        #expect(json as? NSDictionary == expected)
    }

    @Test("Words of a server are one line of at most 300 characters")
    func bounded() {
        let outcome = DeliveryState.Outcome(
            time: .distantPast, server: "s\n", status: nil,
            words: String(repeating: "\u{1f600}\n", count: 1_000))
        #expect(outcome.words.unicodeScalars.count == 300)
        #expect(!outcome.words.contains("\n") && outcome.server == "s ")
    }

    @Test("Fields of a later version stay when a file is written again")
    func laterVersion() throws {
        let report = try fixture.file()
        try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
        let name = "delivery/\(report.stem).json"
        try fixture.write(
            Array(
                #"{"version":2,"final":true,"hue":{"a":[1,2.5,null,"x",false]},"consent":"maybe"}"#
                    .utf8), name)
        #expect(try database.deliveryState(of: report.uuid).isFinal)
        #expect(try database.deliveryState(of: report.uuid).consent == nil)
        try database.updateDeliveryState(of: report.uuid) { $0.isFinal = false }
        let text = String(decoding: try fixture.bytes(name), as: UTF8.self)
        #expect(text == #"{"hue":{"a":[1,2.5,null,"x",false]},"version":1}"# + "\n")
    }

    @Test(
        "A file that holds something else is kept aside, and nothing is known",
        arguments: [
            "", "{", "[]", "7", "{}", #"{"version":0}"#, #"{"version":"1"}"#,
            #"{"version":1,"final":1}"#, #"{"version":1,"not_before":"soon"}"#,
            #"{"version":1,"not_before":1e300}"#, #"{"version":1,"quick_tries":true}"#,
            #"{"version":1,"last_outcome":{}}"#, #"{"version":1,"attachments":[]}"#,
            #"{"version":1,"accepted_as":null}"#,
            #"{"version":1,"x":"# + String(repeating: "[", count: 100_000),
            #"{"version":1,"x":"# + String(repeating: " ", count: 1 << 20) + "1}",
        ])
    func broken(text: String) throws {
        let report = try fixture.file()
        try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
        try fixture.write(Array(text.utf8), "delivery/\(report.stem).json")
        #expect(try database.deliveryState(of: report.uuid) == DeliveryState())
        let aside = "\(report.stem).json.corrupt-1700000000"
        #expect(try fixture.names("delivery") == [aside])
        #expect(try fixture.bytes("delivery/\(aside)") == Array(text.utf8))
    }

    @Test(
        "A symbolic link, a FIFO or a directory in a state's place is not followed nor waited for"
    )
    func foreignKinds() throws {
        for kind in ["link", "fifo", "directory"] {
            let report = try fixture.file()
            try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
            let path = fixture.path("delivery/\(report.stem).json")
            try FileManager.default.removeItem(atPath: path)
            switch kind {
            case "link": #expect(symlink("/etc/passwd", path) == 0)
            case "fifo": #expect(mkfifo(path, 0o600) == 0)
            default: #expect(mkdir(path, 0o700) == 0)
            }
            #expect(try database.deliveryState(of: report.uuid) == DeliveryState())
            #expect(try fixture.names("delivery").contains { $0.contains("corrupt") })
            try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
            #expect(try database.deliveryState(of: report.uuid).isFinal)
            try FileManager.default.removeItem(atPath: fixture.path("delivery"))
        }
    }

    @Test("A delivery directory that was swapped for a symbolic link is refused")
    func swapped() throws {
        let report = try fixture.file()
        let elsewhere = fixture.temporary.path("elsewhere")
        #expect(mkdir(elsewhere, 0o700) == 0)
        #expect(symlink(elsewhere, fixture.path("delivery")) == 0)
        #expect(throws: DatabaseError.self) {
            try database.updateDeliveryState(of: report.uuid) { $0.isFinal = true }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test("It goes with its report, and is left alone while somebody sends the report")
    func life() throws {
        let uuid = try fixture.file().uuid
        try database.updateDeliveryState(of: uuid) { $0.isFinal = true }
        let attempt = try database.beginUpload(of: uuid)
        #expect(attempt.deliveryState.isFinal)
        #expect(throws: DatabaseError.busy(uuid)) {
            try fixture.reopened().updateDeliveryState(of: uuid) { $0.isFinal = false }
        }
        attempt.recordFailure()
        try database.delete(uuid)
        #expect(try fixture.names("delivery").isEmpty)
        #expect(throws: DatabaseError.self) {
            try database.updateDeliveryState(of: uuid) { $0.isFinal = true }
        }
    }

    @Test("A request for the upload makes the server's refusal and the user's no forgotten")
    func request() throws {
        let uuid = try fixture.file().uuid
        try database.updateDeliveryState(of: uuid) { $0 = full }
        try database.recordConsent(.dontSend, of: uuid)
        #expect(try database.report(uuid).state == .completed)
        try database.requestUpload(of: uuid)
        let state = try database.deliveryState(of: uuid)
        #expect(!state.isFinal && state.consent == nil && state.notBefore == nil)
        #expect(state.lastOutcome?.status == 413)
        #expect(try database.report(uuid).state == .pending)
    }

    @Test("Choosing to do without attachments makes a refused report go again")
    func choice() throws {
        let uuid = try fixture.file().uuid
        try database.updateDeliveryState(of: uuid) { $0 = full }
        try database.chooseAttachments(.leftOut, of: uuid)
        let state = try database.deliveryState(of: uuid)
        #expect(!state.isFinal && state.attachments == .leftOut)
    }
}
