// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphEvents

/// The JSON of events and the published schema are the same.
@Suite struct EventJSONTests {
    private static let schema = Products.packageRoot + "/docs/event-schema.json"

    private func text(_ event: Event) throws -> String {
        String(decoding: try #require(event.line()), as: UTF8.self)
    }

    @Test("There is a sample of every type")
    func samples() {
        #expect(Set(EventSamples.full.map(\.type)) == Set(EventType.allCases))
        #expect(
            Set(EventSamples.bare.map(\.type)).union([.sessionStarted])
                == Set(EventType.allCases))
    }

    @Test("Events of every type follow the schema, with all that can be in them and with nothing")
    func valid() throws {
        let events =
            EventSamples.full.map { EventSamples.event($0, context: EventSamples.fullContext) }
            + EventSamples.bare.map { EventSamples.event($0) }
        let complaints = try SchemaValidator.complaints(
            about: events.map(text), against: Self.schema)
        #expect(complaints == [])
    }

    @Test(
        "The validator sees what does not follow the schema",
        arguments: [
            ("\"schemaVersion\":1", "\"schemaVersion\":2"),
            ("\"level\":\"notice\"", "\"level\":\"loud\""),
            ("\"message\":\"m\"", "\"message\":1"),
            ("\"tag\":\"t\"", "\"tag\":\"t\",\"more\":1"),
            ("\"type\":\"log\"", "\"type\":\"custom\""),
            ("0a0b0c0d", "0A0B0C0D"),
            (".250Z", "Z"),
        ])
    func invalid(part: String, replacement: String) throws {
        let good = try text(EventSamples.event(EventSamples.full[5]))
        let bad = good.replacing(part, with: replacement, maxReplacements: 1)
        #expect(good != bad)
        #expect(
            try !SchemaValidator.complaints(about: [bad], against: Self.schema).isEmpty)
    }

    @Test("The schema knows the types and the reasons for dropping of the code, and no other")
    func words() throws {
        let document = try #require(
            JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: Self.schema))) as? [String: Any])
        let properties = try #require(document["properties"] as? [String: Any])
        let types = try #require((properties["type"] as? [String: Any])?["enum"] as? [String])
        #expect(types == EventType.allCases.map(\.rawValue))
        let definitions = try #require(document["$defs"] as? [String: [String: Any]])
        let dropped = definitions["eventsDropped"]?["properties"] as? [String: Any]
        let counts = dropped?["counts"] as? [String: Any]
        let reasons = try #require(counts?["properties"] as? [String: Any])
        #expect(Set(reasons.keys) == Set(DropReason.allCases.map(\.rawValue)))
        #expect(Set(EventType.allCases.map(\.rawValue)).isSubset(of: definitions.keys))
    }

    @Test("An event that was written can be read", arguments: EventSamples.full)
    func roundTrip(payload: EventPayload) throws {
        let event = EventSamples.event(payload, context: EventSamples.fullContext)
        #expect(Event(line: try #require(event.line())) == event)
    }

    @Test(
        "What is no event is none",
        arguments: ["", "{}", "[]", "null", "{\"schemaVersion\":2}", "\u{0}"])
    func unreadable(text: String) {
        #expect(Event(line: text.utf8) == nil)
    }

    @Test("A number that is not finite has no JSON", arguments: [Double.nan, .infinity])
    func notFinite(number: Double) {
        let details = CustomDetails(name: "n", properties: ["p": .number(number)])
        #expect(EventSamples.event(.custom(details)).line() == nil)
    }

    @Test("A broadcast keeps the types of its details and none of their values")
    func broadcast() throws {
        let details = SystemBroadcastDetails(
            .timeZone, details: ["zone": "Europe/Berlin", "offset": 3600, "dst": true])
        #expect(
            details.detailTypes == ["zone": "text", "offset": "integer", "dst": "boolean"])
        #expect(try !text(EventSamples.event(.systemBroadcast(details))).contains("Berlin"))
    }
}
