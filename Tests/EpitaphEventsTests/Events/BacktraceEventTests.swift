// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

@Suite("Events for Backtrace's metrics")
struct BacktraceEventTests {
    private static let address = "https://events.backtrace.io/api"
    private static let key = "universe=shop&token=0123456789abcdef"

    private func sender(_ lab: EventLab) throws -> EventSender {
        EventSender(
            databasePath: lab.directory.path,
            to: try BacktraceEventDestination(universe: "shop", token: "0123456789abcdef"),
            by: lab.server, options: lab.options, clock: lab.clock, hasConsent: { true },
            tally: lab.tally)
    }

    private static var context: Context {
        var context = Context()
        context.program = "ledgerd"
        context.version = "1.4"
        context.deviceID = EventSamples.id
        context.setTag("site", to: "fra1")
        return context
    }

    private func append(_ lab: EventLab, _ payloads: [EventPayload]) throws {
        let lines = payloads.compactMap {
            EventSamples.event($0, context: Self.context).line()
        }
        try lab.store().append(lines)
    }

    @Test("A start counts who runs the program, and its events keep the types of their properties")
    func bodies() throws {
        let events = BacktraceEvents(
            [
                .lifecycle(LifecycleDetails(phase: .started)),
                .custom(CustomDetails(name: "checkout", properties: ["cents": 150, "new": true])),
                .log(LogDetails(level: .info, tag: "", message: "no event")),
                .eventsDropped(DroppedEventsDetails(counts: ["buffer": 2, "disk": 1])),
            ].map { EventSamples.event($0, context: Self.context) })
        let id = EventSamples.id.description
        let attributes =
            #""application":"ledgerd","application.version":"1.4","#
        let program =
            #"{"application":"ledgerd","appversion":"1.4","metadata":{"dropped_events":3},"#
        #expect(
            events.unique().map { String(decoding: $0, as: UTF8.self) } == [
                program + #""unique_events":[{"attributes":{"# + attributes
                    + #""guid":"\#(id)","site":"fra1"},"timestamp":1800000000,"unique":["guid"]}]}"#
            ])
        #expect(
            events.summed().map { String(decoding: $0, as: UTF8.self) } == [
                program + #""summed_events":[{"attributes":{"# + attributes
                    + #""guid":"\#(id)","site":"fra1"},"metric_group":"Application Launches","#
                    + #""timestamp":1800000000},{"attributes":{"# + attributes
                    + #""cents":150,"guid":"\#(id)","new":true,"site":"fra1"},"#
                    + #""metric_group":"checkout","timestamp":1800000000}]}"#
            ])
    }

    @Test("Nobody is counted whom nothing tells apart from others")
    func nobody() {
        let started = EventSamples.event(.lifecycle(LifecycleDetails(phase: .started)))
        #expect(BacktraceEvents([started]).unique().isEmpty)
        #expect(BacktraceEvents([started]).summed().count == 1)
        #expect(BacktraceEvents([]).summed().isEmpty)
    }

    @Test("A batch is a request to each address, and is removed once both are accepted")
    func sent() throws {
        let lab = try EventLab()
        try append(lab, EventSamples.full)
        var sender = try sender(lab)
        #expect(sender.step() == 0)
        #expect(
            lab.server.requests.map(\.url) == [
                "\(Self.address)/unique-events/submit?\(Self.key)",
                "\(Self.address)/summed-events/submit?\(Self.key)",
            ])
        #expect(lab.server.requests.allSatisfy { $0.headers["content-type"] == "application/json" })
        #expect(lab.files.isEmpty && lab.tally.present.sent == UInt64(EventSamples.full.count))
    }

    @Test("What the server cannot take now is kept, and sent again as a whole")
    func kept() throws {
        let lab = try EventLab()
        lab.server.answer = { UploadResponse(status: $0.url.contains("/summed") ? 503 : 200) }
        try append(
            lab,
            [
                .sessionStarted(
                    SessionStartDetails(sessionID: EventSamples.id, numberInRun: 1, numberInDay: 1))
            ])
        var sender = try sender(lab)
        _ = sender.step()
        #expect(!lab.files.isEmpty && lab.tally.present.sent == 0)
        lab.server.answer = { _ in UploadResponse(status: 200) }
        lab.clock.advance(bySeconds: 3_600)
        _ = sender.step()
        #expect(lab.files.isEmpty && lab.server.requests.count == 4)
    }

    @Test("A token that is none is refused, and no description has it")
    func token() throws {
        #expect(throws: SettingError.self) {
            try BacktraceEventDestination(universe: "shop", token: "a&b")
        }
        let destination = try BacktraceEventDestination(
            universe: "shop", token: "0123456789abcdef")
        #expect(!"\(destination)".contains("0123456789abcdef"))
        #expect(destination.server == "https://events.backtrace.io")
    }
}
