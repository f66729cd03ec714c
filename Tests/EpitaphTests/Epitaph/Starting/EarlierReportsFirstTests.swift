// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

/// What the start waits for, in the test process itself.
@Suite(.serialized, .startsEpitaphHere) final class EarlierReportsFirstTests {
    private let here: StartedHere

    init() throws { here = try StartedHere() }

    deinit {
        Epitaph.stop()
    }

    private func seconds(_ work: () -> Void) -> Double {
        ContinuousClock().measure(work) / .seconds(1)
    }

    /// Waits always, as long as it may.
    private func configuration(_ url: String?) -> Epitaph.Configuration {
        var configuration = here.configuration
        configuration.destination = url
        configuration.uploadsEnabled = true
        configuration.sendsEarlierReportsFirst = .always
        configuration.sendFirstTime = .seconds(60)
        return configuration
    }

    @Test("The report of an earlier crash is at the server before the start returns")
    func sent() throws {
        let server = try IntakeServer()
        let id = try here.leaveDump()
        var configuration = configuration(server.reportsURL)
        configuration.annotations = ["ver": "2"]
        configuration.annotationsOfEarlierLaunches = ["rack": "7"]
        #expect(Epitaph.start(configuration) == .running)
        #expect(server.reports.count == 1 && server.complaints == "")
        #expect(server.reports.first?.fields["rack"] as? String == "7")
        #expect(eventually { here.has(id, "completed") })
        #expect(here.log.lines == [])
    }

    @Test("A server that never answers delays the start no longer than it may")
    func silent() throws {
        let server = try TestServer.collector("stall")
        let id = try here.leaveDump()
        var configuration = configuration(server.url)
        configuration.sendFirstTime = .seconds(1)
        let waited = seconds { Epitaph.start(configuration) }
        #expect(Epitaph.state == .running)
        // A request is given up after a minute at the earliest.
        #expect(waited >= 1 && waited < 50, "\(waited)")
        #expect(eventually { here.has(id, "pending") })
        let stopped = seconds { Epitaph.stop() }
        #expect(stopped < 50, "\(stopped)")
        #expect(here.has(id, "pending"))
    }

    @Test("A server that refuses delays it no longer either, a destination that is none not at all")
    func refused() throws {
        let server = try IntakeServer(["401"])
        let id = try here.leaveDump()
        var refusing = configuration(server.reportsURL)
        refusing.sendFirstTime = .seconds(1)
        let waited = seconds { Epitaph.start(refusing) }
        #expect(waited < 50, "\(waited)")
        #expect(eventually { server.requests.count == 1 })
        Epitaph.stop()
        #expect(here.has(id, "pending"))
        let other = seconds { Epitaph.start(configuration("nonsense:x")) }
        #expect(other < 50, "\(other)")
        #expect(here.log.lines.count == 1)
        #expect(here.log.lines.first?.hasPrefix("reports are not sent: ") == true)
    }

    @Test("Without a destination, and without a crash loop, the start waits for nothing")
    func nothing() throws {
        try here.leaveDump()
        let door = Door()
        defer { door.open() }
        // Until the door is open no pass begins.
        var alone = configuration(nil)
        alone.onEarlierCrash = { _ in door.wait() }
        #expect(seconds { Epitaph.start(alone) } < 50)
        #expect(eventually { door.isReached })
        Epitaph.stop()

        var loop = configuration("http://127.0.0.1:9/")
        loop.sendsEarlierReportsFirst = .inCrashLoop
        loop.onEarlierLaunches = { _ in door.wait() }
        #expect(seconds { Epitaph.start(loop) } < 50)
    }

    @Test("A busy server is tried again, and the report arrives by Configuration.destination alone")
    func retried() throws {
        let server = try IntakeServer(["503/1", "200"])
        let id = try here.leaveDump()
        var configuration = configuration(server.reportsURL)
        configuration.sendsEarlierReportsFirst = .never
        let outcomes = Log()
        configuration.onUploads = { outcomes.add("\($0)") }
        Epitaph.start(configuration)
        #expect(eventually(withinSeconds: 60) { here.has(id, "completed") }, "\(outcomes.lines)")
        #expect(server.requests.map(\.status) == [503, 200])
        #expect(eventually { outcomes.lines.count == 1 })
        #expect(here.log.lines == [])
    }

    @Test("Without consent no report leaves the machine, whatever was chosen before")
    func consent() throws {
        let server = try IntakeServer()
        Epitaph.start(configuration(server.reportsURL))
        Epitaph.stop()
        let id = try here.leaveDump()
        var configuration = configuration(server.reportsURL)
        configuration.uploadsEnabled = false
        let outcomes = Log()
        configuration.onUploads = { outcomes.add("\($0)") }
        Epitaph.start(configuration)
        #expect(eventually { outcomes.lines.count == 1 })
        #expect(outcomes.lines == ["finished(sent: 0, failed: 0, skipped: 1)"])
        #expect(server.requests.isEmpty && here.has(id, "pending"))
    }
}
