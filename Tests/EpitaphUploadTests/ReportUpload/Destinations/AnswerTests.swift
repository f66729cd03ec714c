// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("What collectors answer")
struct CollectorAnswerTests {
    private let now = Timestamp(secondsSince1970: 1_000_000)

    @Test(
        "Backtrace's answer tells what it calls the report, and whether it has it",
        arguments: [
            (
                200, #"{"response":"ok","_rxid":"04000000-4ca4-4002"}"#, .accepted,
                "04000000-4ca4-4002"
            ),
            (200, #"{"response":"ok","_rxid":7,"unique":true,"x":{"y":[1]}}"#, .accepted, ""),
            (200, #"{"response":"rejected","_rxid":"1"}"#, .refused, "1"),
            (200, "", .accepted, ""), (200, "<html>", .accepted, ""),
            (500, #"{"response":"rejected"}"#, .retry(notBeforeSeconds: nil), ""),
            (403, #"{"error":{"code":6,"message":"invalid token"}}"#, .destinationRefused, ""),
        ] as [(Int, String, AnswerMeaning, String)])
    func backtrace(status: Int, body: String, meaning: AnswerMeaning, id: String) throws {
        let destination = try BacktraceDestination(universe: "u", token: "0123456789abcdef")
        let response = UploadResponse(status: status, body: Array(body.utf8))
        #expect(destination.meaning(of: response, now: now) == meaning)
        #expect(destination.serverID(in: response) == id)
    }

    @Test(
        "Socorro's 200 can be a refusal",
        arguments: [
            (200, "CrashID=bp-d101d046-638f\n", .accepted, "bp-d101d046-638f"),
            (200, "\r\nCrashID=bp-1\r\n", .accepted, "bp-1"),
            (200, "Discarded=rule_has_hangid\n", .refused, "Discarded=rule_has_hangid"),
            (200, "thanks", .accepted, "thanks"),
            (400, "Discarded=no_annotations", .refused, "Discarded=no_annotations"),
            (413, "", .tooLarge, ""), (503, "", .retry(notBeforeSeconds: nil), ""),
        ] as [(Int, String, AnswerMeaning, String)])
    func socorro(status: Int, body: String, meaning: AnswerMeaning, id: String) throws {
        let destination = SocorroDestination(url: try UploadURL("https://host/submit"))
        let response = UploadResponse(status: status, body: Array(body.utf8))
        #expect(destination.meaning(of: response, now: now) == meaning)
        #expect(destination.serverID(in: response) == id)
    }

    @Test(
        "Of an own server's answer an id or a word is kept, and no page and no prose",
        arguments: [
            ("bp-1\n", "bp-1"), (#"{"id":"7"}"#, "7"), (#"{"response" : "ok"}"#, ""),
            ("<html>", ""), ("all is well", ""), ("", ""),
            (String(repeating: "x", count: 129), ""),
        ])
    func raw(body: String, id: String) throws {
        let destination = RawDestination(try RequestTemplate(.put, url: "https://host/"))
        #expect(destination.serverID(in: .ok(body)) == id)
    }

    @Test("An answer nested without end, cut, or in no encoding is no JSON and no trap")
    func hostileJSON() {
        let deep = String(repeating: #"{"id":"#, count: 10_000)
        #expect(JSONAnswer(.ok(deep)) == nil)
        #expect(JSONAnswer(.ok(deep + "1" + String(repeating: "}", count: 10_000))) == nil)
        #expect(JSONAnswer(UploadResponse(status: 200, body: [0xff, 0xfe, 0, 0x7b])) == nil)
        #expect(JSONAnswer(.ok("[1]")) == nil)
        #expect(JSONAnswer(.ok("null")) == nil)
        let cut = UploadResponse(status: 200, body: Array(#"{"id":"1"}"#.utf8), isBodyCut: true)
        #expect(JSONAnswer(cut) == nil)
        #expect(JSONAnswer(.ok(#"{"n":1e999,"id":"1"}"#))?["n"] == nil)
    }
}
