// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

/// Scripts/otlp-check reads the same bodies with OpenTelemetry's own definitions.
@Suite("Events for an OpenTelemetry collector")
struct OTLPEventTests {
    private static let isRecording =
        ProcessInfo.processInfo.environment["EPITAPH_RECORD_FIXTURES"] == "1"

    private static var events: OTLPEvents {
        var context = EventSamples.fullContext
        context.setTag("traceparent", to: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        return OTLPEvents(
            EventSamples.full.enumerated().map { index, payload in
                EventSamples.event(payload, context: context, sequence: UInt64(index + 1))
            } + [EventSamples.event(EventSamples.bare[1], sequence: 100)])
    }

    @Test("Each kind of event has the body that is kept beside the tests")
    func golden() throws {
        for (name, body) in [("logs", Self.events.logs()), ("metrics", Self.events.metrics())] {
            let path = Products.fixture("otlp/\(name).json")
            let bytes = Data(try #require(body) + [0x0a])
            if Self.isRecording { try bytes.write(to: URL(fileURLWithPath: path)) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(name)")
        }
    }

    @Test("Nothing to say is no body, and figures are no log records")
    func none() throws {
        #expect(OTLPEvents([]).logs() == nil && OTLPEvents([]).metrics() == nil)
        let figures = EventSamples.full.filter { $0.type == .metrics || $0.type == .errorFree }
        #expect(figures.count == 2)
        #expect(OTLPEvents(figures.map { EventSamples.event($0) }).logs() == nil)
    }

    private func sender(_ lab: EventLab) throws -> EventSender {
        EventSender(
            databasePath: lab.directory.path,
            to: try OTLPEventDestination("http://otel.example.org:4318"), by: lab.server,
            options: lab.options, clock: lab.clock, hasConsent: { true }, tally: lab.tally)
    }

    private func append(_ lab: EventLab) throws {
        let lines = EventSamples.full.compactMap { EventSamples.event($0).line() }
        try lab.store().append(lines)
    }

    @Test("A batch is two requests, the metrics first, and is removed once both are accepted")
    func sent() throws {
        let lab = try EventLab()
        try append(lab)
        var sender = try sender(lab)
        #expect(sender.step() == 0)
        #expect(
            lab.server.requests.map(\.url) == [
                "http://otel.example.org:4318/v1/metrics", "http://otel.example.org:4318/v1/logs",
            ])
        #expect(lab.server.requests.allSatisfy { $0.headers["content-type"] == "application/json" })
        #expect(lab.server.requests.allSatisfy { $0.headers["content-encoding"] == "gzip" })
        #expect(lab.files.isEmpty && lab.tally.present.sent == UInt64(EventSamples.full.count))
    }

    @Test("What the specification calls retryable waits; any other refusal is final")
    func refused() throws {
        for (status, isKept) in [(429, true), (502, true), (503, true), (504, true), (500, false)] {
            let lab = try EventLab()
            lab.server.answer = { request in
                UploadResponse(status: request.url.hasSuffix("/v1/logs") ? status : 200)
            }
            try append(lab)
            var sender = try sender(lab)
            _ = sender.step()
            #expect(lab.files.isEmpty != isKept, "\(status)")
            #expect(lab.tally.present.sent == 0)
        }
    }

    @Test("What a partial success rejects is dropped and counted, and not sent again")
    func partial() throws {
        let lab = try EventLab()
        lab.server.answer = { request in
            UploadResponse(
                status: 200,
                body: Array(
                    (request.url.hasSuffix("/v1/logs")
                        ? #"{"partialSuccess":{"rejectedLogRecords":"2"}}"#
                        : #"{"partialSuccess":{"rejectedDataPoints":1}}"#).utf8))
        }
        try append(lab)
        var sender = try sender(lab)
        _ = sender.step()
        #expect(lab.files.isEmpty && lab.server.requests.count == 2)
        #expect(lab.tally.present.sent == UInt64(EventSamples.full.count - 3))
        #expect(lab.tally.present.drops[.refused] == 3)
    }

    @Test("A destination of one's own says what an answer means and how much of it is lost")
    func ownDestination() throws {
        struct Own: EventDestination {
            let template: RequestTemplate
            var server: String { template.server }

            func request(
                body: any BodySource, id: Epitaph.ID
            ) throws(TransportError) -> UploadRequest {
                try template.request(body: body, type: .bytes, values: [:])
            }

            func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
                response.text == "no" ? .refused : .accepted
            }

            func rejectedCount(in response: UploadResponse) -> Int { response.text == "no" ? 0 : 2 }
        }
        for (text, sent) in [("no", 0), ("two", EventSamples.full.count - 2)] {
            let lab = try EventLab()
            lab.server.answer = { _ in UploadResponse(status: 200, body: Array(text.utf8)) }
            try append(lab)
            var sender = EventSender(
                databasePath: lab.directory.path,
                to: Own(template: try RequestTemplate(.post, url: "http://h/")), by: lab.server,
                options: lab.options, clock: lab.clock, hasConsent: { true }, tally: lab.tally)
            _ = sender.step()
            #expect(lab.files.isEmpty && lab.tally.present.sent == UInt64(sent), "\(text)")
            #expect(lab.tally.present.drops[.refused] == UInt64(EventSamples.full.count - sent))
        }
    }

    @Test("Lines that hold no event need no request")
    func damaged() throws {
        let lab = try EventLab()
        try lab.store().append([Array("no event".utf8)])
        var sender = try sender(lab)
        _ = sender.step()
        #expect(lab.server.requests.isEmpty && lab.files.isEmpty)
    }
}
