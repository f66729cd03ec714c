// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

/// A database's directory, a clock, and a server that answers as told.
final class EventLab {
    let directory: TemporaryDirectory
    let clock = TestClock()
    let tally = EventTally()
    let server = PlayedServer()
    let context = CurrentContext()
    var options = EventLogOptions()
    var hasConsent = true

    init() throws {
        directory = try TemporaryDirectory()
    }

    func writer() throws -> EventWriter {
        try EventWriter(
            databasePath: directory.path, launchID: Epitaph.ID(), options: options,
            context: context,
            clock: clock, tally: tally, didWrite: {})
    }

    func store() throws -> EventStore {
        try EventStore(inDatabase: directory.path, clock: clock)
    }

    func sender() throws -> EventSender {
        let template = try RequestTemplate(.post, url: "http://events.example.org/{uuid}")
        var plain = template
        plain.compression = .none
        let consent = hasConsent
        return EventSender(
            databasePath: directory.path, to: TemplateEventDestination(plain), by: server,
            options: options, clock: clock, hasConsent: { consent }, tally: tally)
    }

    /// Writes events of these names, each in a batch of its own.
    func write(_ names: String...) throws {
        let store = try store()
        for name in names { try store.append([Self.line(name)]) }
    }

    static func line(_ name: String) -> [UInt8] {
        EventSamples.event(.custom(CustomDetails(name: name))).line() ?? []
    }

    static func custom(_ name: String) -> EventPayload { .custom(CustomDetails(name: name)) }

    /// The names of files in `events`, without those of the clock and the lock.
    var files: [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: directory.path("events"))
        return (names ?? []).filter { !["clock", "sender.lock"].contains($0) }.sorted()
    }

    /// The events on the disk, the oldest batch first.
    var events: [Event] {
        files.flatMap { name in
            ((try? directory.contents("events/" + name)) ?? []).split(separator: 0x0a)
                .compactMap { Event(line: $0) }
        }
    }

    var names: [String] { events.compactMap(\.customName) }
}

extension Event {
    var customName: String? {
        if case .custom(let details) = payload { details.name } else { nil }
    }
}

extension PlayedServer {
    /// The names of the events in each request.
    var names: [[String]] {
        bodies.map { body in
            body.split(separator: 0x0a).compactMap { Event(line: $0)?.customName }
        }
    }
}
