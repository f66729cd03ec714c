// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

/// Events on their way to a real server, in the test process itself.
@Suite(.serialized, .startsEpitaphHere) final class EventDeliveryTests {
    private let here: StartedHere

    init() throws { here = try StartedHere() }

    deinit {
        Epitaph.stop()
    }

    private func start(
        _ server: IntakeServer, isAllowed: Bool?,
        _ edit: (inout EventLogOptions) -> Void = { _ in }
    ) throws -> EventLog {
        var configuration = here.configuration
        configuration.uploadsEnabled = isAllowed
        var options = EventLogOptions()
        options.batchTime = .seconds(0.01)
        edit(&options)
        configuration.parts.events = options
        configuration.parts.eventDestination = TemplateEventDestination(
            try RequestTemplate(.post, url: server.eventsURL))
        Epitaph.start(configuration)
        return try #require(Epitaph.events)
    }

    @Test("Events arrive at a server, in their order and with their context")
    func arrive() throws {
        let server = try IntakeServer()
        let log = try start(server, isAllowed: true)
        Epitaph.context?.update { $0.setTag("rack", to: "7") }
        for number in 1...20 {
            #expect(Epitaph.record("step \(number)", properties: ["number": 1]))
        }
        #expect(eventually { server.events("custom").count == 20 })
        #expect(server.told("custom", "name") == (1...20).map { "step \($0)" })
        let context = server.events("custom").first?["context"] as? [String: Any]
        #expect((context?["tags"] as? [String: String]) == ["rack": "7"])
        #expect(context?["program"] as? String == "org.example.start")
        #expect(eventually { server.told("lifecycle", "phase") == ["started"] })
        #expect(eventually { log.status.sent == 21 })
        #expect(log.status.drops.total == 0 && here.log.lines == [])
        #expect(server.complaints == "")
    }

    @Test("Without consent nothing is sent, whatever was chosen before, and with it all is")
    func consent() throws {
        let server = try IntakeServer()
        // Somebody agreed once.
        Epitaph.start(here.configuration)
        try Epitaph.reporter?.setUploadsEnabled(true)
        Epitaph.stop()

        let log = try start(server, isAllowed: false)
        Epitaph.record("unsent")
        #expect(eventually { log.status.written == 2 })
        #expect(server.requests.isEmpty)
        try Epitaph.reporter?.setUploadsEnabled(true)
        // The sender asks again after a while.
        #expect(eventually(withinSeconds: 60) { server.told("custom", "name") == ["unsent"] })
        #expect(log.status.drops.total == 0)
    }

    @Test(
        "A server that is busy gets a pause and then every event; what was wrong is told meanwhile")
    func busy() throws {
        let server = try IntakeServer(["503/4", "200"])
        let log = try start(server, isAllowed: true)
        Epitaph.record("patient")
        #expect(eventually { log.status.sendingProblem?.contains("503") == true })
        #expect(eventually(withinSeconds: 60) { server.told("custom", "name") == ["patient"] })
        #expect(server.requests.first?.status == 503)
        #expect(eventually { log.status.sendingProblem == nil })
        #expect(log.status.drops.total == 0)
    }

    @Test(
        "What the server will never take, and what is too large, is dropped and counted by reason")
    func drops() throws {
        let server = try IntakeServer(["400"])
        let log = try start(server, isAllowed: true) { $0.eventLimitBytes = 1_024 }
        let text = String(repeating: "x", count: 2_000)
        #expect(!Epitaph.record("large", properties: ["text": .text(text)]))
        #expect(log.status.drops[.tooLarge] == 1)
        Epitaph.record("refused")
        #expect(eventually(withinSeconds: 60) { log.status.drops[.refused] >= 2 })
        #expect(log.status.sent == 0)
        #expect(log.status.drops.description.contains("1 tooLarge"))
    }

    @Test("What a launch could not send is sent by the next one")
    func nextLaunch() throws {
        let unreachable = try IntakeServer(["503/3600"])
        let log = try start(unreachable, isAllowed: true)
        Epitaph.record("left behind")
        #expect(eventually { log.status.written == 2 })
        Epitaph.stop()
        #expect(!Epitaph.record("too late"))

        let server = try IntakeServer()
        _ = try start(server, isAllowed: true)
        #expect(
            eventually(withinSeconds: 60) { server.told("custom", "name") == ["left behind"] })
    }
}
