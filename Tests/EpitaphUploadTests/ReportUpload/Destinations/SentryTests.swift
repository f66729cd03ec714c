// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Sentry")
struct SentryTests {
    @Test(
        "A DSN becomes the URL of the project's minidump endpoint",
        arguments: [
            (
                "https://0123abcd@o1.ingest.sentry.io/42",
                "https://o1.ingest.sentry.io/api/42/minidump/?sentry_key=0123abcd"
            ),
            (
                "http://key:old@Sentry.example.org:9000/a/b/7",
                "http://sentry.example.org:9000/a/b/api/7/minidump/?sentry_key=key"
            ),
            (
                "https://key@[::1]/7#fragment", "https://[::1]/api/7/minidump/?sentry_key=key"
            ),
            ("https://key@host/7?frames=server", "https://host/api/7/minidump/?sentry_key=key"),
            ("https://key@host/7?frames=own", "https://host/api/7/envelope/?sentry_key=key"),
            (
                "https://key@host/7?minidump=no&frames=own",
                "https://host/api/7/envelope/?sentry_key=key"
            ),
        ])
    func dsn(text: String, expected: String) throws {
        #expect(try SentryDSN(text).url.text == expected)
    }

    @Test(
        "What is no DSN is refused with the part at fault and never the key",
        arguments: [
            ("", "http"), ("secret", "http"), ("ftp://secret@host/1", "http"),
            ("https://host/1", "key"), ("https://@host/1", "key"),
            ("https://sec-ret@host/1", "key"), ("https://sec%2Fret@host/1", "key"),
            ("https://secret@/1", "host"), ("https://secret@host", "project"),
            ("https://secret@host/", "project"), ("https://secret@host/1/", "project"),
            ("https://secret@host/one", "project"), ("https://secret@host/1?x=secret", "?"),
            ("https://secret@host/1?frames=secret", "?"),
            ("https://secret@host/1?minidump=no", "?"),
            ("https://secret@ho st/1", "spaces"), ("https://secret@host:0/1", "port"),
        ])
    func badDSN(text: String, part: String) {
        let error = #expect(throws: SettingError.self) { try SentryDestination(dsn: text) }
        #expect(error?.description.contains("Sentry DSN") == true)
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("sec-ret") == false)
    }

    private func event(
        _ annotations: [String: String], release: String? = nil, environment: String? = nil
    ) -> SentryEvent {
        SentryEvent(.example(annotations), release: release, environment: environment)
    }

    @Test(
        "The release is what the process said, then the operator's, then product and version",
        arguments: [
            (["release": "r", "prod": "p", "ver": "1"], "given", "r"),
            (["prod": "p", "ver": "1"], "given", "given"),
            (["prod": "p", "ver": "1"], nil, "p@1"), (["ver": "1"], nil, "1"),
            (["prod": "p"], nil, nil), ([:], nil, nil), (["release": ""], nil, nil),
            (["release": ".."], nil, nil), (["release": "Latest"], nil, nil),
            (["prod": "a/b\\c", "ver": "1\n2"], nil, "a_b_c@1_2"),
        ] as [([String: String], String?, String?)])
    func release(annotations: [String: String], given: String?, expected: String?) {
        #expect(event(annotations, release: given).release == expected)
    }

    @Test("A release, an environment and a message are cut where Sentry stops to read them")
    func limits() {
        let long = String(repeating: "x", count: 10_000)
        var report = OutgoingReport.example(["release": long, "environment": long])
        report.messages = [long]
        let event = SentryEvent(report, release: nil, environment: nil)
        #expect(event.release?.count == 200)
        #expect(event.environment?.count == 64)
        #expect(event.logentry?["formatted"]?.count == 8192)
    }

    @Test(
        "An environment is a word: slashes are replaced, and None is none",
        arguments: [
            ("production", "production"), ("a/b", "a_b"), ("None", nil), ("", nil), (" ", nil),
        ] as [(String, String?)])
    func environment(text: String, expected: String?) {
        #expect(event(["environment": text]).environment == expected)
        #expect(event([:], environment: text).environment == expected)
    }

    @Test(
        "A distribution has the letters that Sentry takes, and as many",
        arguments: [
            ("1.2-3_b", "1.2-3_b"), ("my build", "my_build"), ("a/é", "a__"), (" ", "_"),
            (String(repeating: "x", count: 65), String(repeating: "x", count: 64)), ("", nil),
        ] as [(String, String?)])
    func distribution(text: String, expected: String?) {
        #expect(event(["dist": text]).dist == expected)
    }

    @Test(
        "What keeps Sentry's rules for tags is one, the rest is extra",
        arguments: [
            ("key", "value", true), (String(repeating: "k", count: 32), "v", true),
            (String(repeating: "k", count: 33), "v", false), ("a.b:c-d_1", "v", true),
            ("a b", "v", false), ("ä", "v", false), ("", "v", false), ("key", "", false),
            ("key", String(repeating: "v", count: 200), true),
            ("key", String(repeating: "v", count: 201), false), ("key", "a\nb", false),
            ("key", "a\r\nb", false),
        ])
    func tags(key: String, value: String, isTag: Bool) {
        let event = event([key: value])
        #expect(event.tags == (isTag ? [key: value] : [:]))
        #expect(event.extra == (isTag ? [:] : [key: value]))
    }

    @Test("What the program noted becomes the event's breadcrumbs, the last hundred of them")
    func breadcrumbs() throws {
        var report = OutgoingReport.example(["release": "r"])
        report.breadcrumbs = (1...120).map { number in
            Breadcrumb(
                number: number, timeNanoseconds: 1_787_368_447_000_000_000 + number * 1_000,
                level: number == 120 ? .fatal : .warning, category: number == 119 ? "" : "http",
                message: "request \(number)")
        }
        let text = SentryEvent(report, release: nil, environment: nil).json()
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let values = try #require(
            (object["breadcrumbs"] as? [String: Any])?["values"] as? [[String: String]])
        #expect(values.count == 100)
        #expect(
            values.last == [
                "timestamp": "2026-08-22T03:14:07.000120Z", "level": "fatal", "category": "http",
                "message": "request 120",
            ])
        #expect(values.first?["message"] == "request 21")
        #expect(values[98]["category"] == nil && values[98]["level"] == "warning")
        #expect(object["release"] as? String == "r")
        #expect(!SentryEvent(.example(), release: nil, environment: nil).json().contains("breadc"))
    }

    @Test("An event is never larger than Sentry takes, whatever a report holds")
    func eventSize() {
        let long = String(repeating: "ü", count: 10_240)
        var report = OutgoingReport.example(
            Dictionary(uniqueKeysWithValues: (0..<128).map { ("name \($0)", long) }))
        report.breadcrumbs = (1...120).map {
            Breadcrumb(number: $0, timeNanoseconds: .max, message: long)
        }
        report.messages = [String](repeating: long, count: 20)
        let event = SentryEvent(report, release: nil, environment: nil)
        #expect(event.json().utf8.count < 1 << 20)
        #expect(event.extra["name 0"] == long)
        // The last time that 64 bits of nanoseconds hold.
        #expect(event.breadcrumbs?.values.first?.timestamp == "2554-07-21T23:34:33.709551Z")
    }

    @Test("Values with quotes, control characters and other scripts come through as JSON")
    func json() throws {
        let values = ["quote": "\"\\", "control": "\u{1}\t", "script": "日本 🚀", "slash": "a/b"]
        let text = event(values).json()
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["tags"] as? [String: String] == values)
        #expect(object["level"] as? String == "fatal")
        #expect(object["environment"] == nil && object["logentry"] == nil)
    }

    @Test(
        "The event's id is kept without dashes, from text and from JSON",
        arguments: [
            ("0C9D5A2E-4b1f-4f0e-9d3c-7a6b5c4d3e2f", "0c9d5a2e4b1f4f0e9d3c7a6b5c4d3e2f"),
            ("0c9d5a2e4b1f4f0e9d3c7a6b5c4d3e2f\n", "0c9d5a2e4b1f4f0e9d3c7a6b5c4d3e2f"),
            (
                #"{"id":"0c9d5a2e4b1f4f0e9d3c7a6b5c4d3e2f"}"#,
                "0c9d5a2e4b1f4f0e9d3c7a6b5c4d3e2f"
            ),
            ("", ""), ("thanks", "thanks"),
        ])
    func answers(body: String, expected: String) throws {
        let destination = try SentryDestination(dsn: "https://key@host/1")
        #expect(destination.serverID(in: .ok(body)) == expected)
    }
}

extension OutgoingReport {
    /// A small report without attachments.
    static func example(_ annotations: [String: String] = [:]) -> OutgoingReport {
        OutgoingReport(
            uuid: Epitaph.ID(), clientID: Epitaph.ID(),
            minidump: .bytes(ByteSlice(Array("MDMP".utf8))),
            annotations: annotations)
    }
}

extension UploadResponse {
    static func ok(_ body: String) -> UploadResponse {
        UploadResponse(status: 200, body: Array(body.utf8))
    }
}
