// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

/// What a program hands over that throws, blocks or calls back in, in the test process itself.
/// Waits are compared with a minute: a wait without an end would take longer.
@Suite(.serialized, .startsEpitaphHere) final class CallbackTests {
    private let here: StartedHere
    private let door = Door()

    init() throws { here = try StartedHere() }

    deinit {
        door.open()
        Epitaph.stop()
    }

    private func seconds(_ work: () -> Void) -> Double {
        ContinuousClock().measure(work) / .seconds(1)
    }

    private struct Unhappy: Error {}

    /// An error whose description is not there until the door is open.
    private struct Slow: Error, CustomStringConvertible {
        let door: Door
        var description: String {
            door.wait()
            return "slow"
        }
    }

    @Test(
        "An observer of events that blocks for ever holds up neither events nor the stop for long")
    func observers() throws {
        var configuration = here.configuration
        configuration.processesEarlierDumps = false
        configuration.parts.events = EventLogOptions()
        Epitaph.start(configuration)
        let events = try #require(Epitaph.events)
        let (door, again) = (door, configuration)
        events.addObserver { _ in door.wait() }
        let thrower = events.addObserver { _ in throw Unhappy() }
        let told = Log()
        events.addObserver { event in
            guard case .custom(let details) = event.payload else { return }
            told.add(details.name)
            // Back in, also to its end.
            if details.name == "first" { Epitaph.record("second") }
            if details.name == "second" { Epitaph.start(again) }
        }
        #expect(seconds { Epitaph.record("first") } < 50)
        #expect(eventually { door.isReached && told.lines == ["first", "second"] })
        #expect(eventually { thrower.failureCount >= 2 })
        #expect(seconds { Epitaph.stop() } < 50)
        #expect(Epitaph.state == .stopped && here.log.lines == [])
    }

    @Test("An observer may stop Epitaph, and start it again")
    func stoppingObserver() throws {
        var configuration = here.configuration
        configuration.processesEarlierDumps = false
        configuration.parts.events = EventLogOptions()
        let again = configuration
        Epitaph.start(configuration)
        let done = Log()
        Epitaph.events?.addObserver { event in
            guard case .custom = event.payload else { return }
            Epitaph.stop()
            done.add("\(Epitaph.state)")
            Epitaph.start(again)
            done.add("\(Epitaph.state)")
        }
        Epitaph.record("now")
        #expect(eventually(withinSeconds: 60) { done.lines.count == 2 })
        #expect(done.lines == ["\(Epitaph.State.stopped)", "\(Epitaph.State.running)"])
    }

    @Test(
        "What is told of earlier launches may ask for the last one, and blocks nothing but sending")
    func earlierLaunches() throws {
        let server = try IntakeServer()
        let id = try here.leaveDump()
        var configuration = here.configuration
        configuration.destination = server.reportsURL
        configuration.uploadsEnabled = true
        let (told, door) = (Log(), door)
        configuration.onEarlierCrash = { crash in
            let session = Epitaph.lastSession(waiting: .seconds(0))
            told.add("\(session?.crash?.report == crash.report)")
            told.add("\(Epitaph.hasCrashedInLastSession)")
        }
        configuration.onEarlierLaunches = { launches in
            told.add("\(launches.convertedReports.count)")
            door.wait()
        }
        Epitaph.start(configuration)
        #expect(eventually { door.isReached })
        #expect(told.lines == ["true", "true", "1"])
        // Everything else goes on meanwhile.
        Epitaph["n"] = 1
        #expect(Epitaph.hasCrashedInLastSession && Epitaph["n"] != nil)
        #expect(seconds { Epitaph.isEnabled = false } < 50)
        #expect(seconds { Epitaph.isEnabled = true } < 50)
        #expect(server.requests.isEmpty)
        door.open()
        #expect(eventually(withinSeconds: 60) { here.has(id, "completed") })
    }

    @Test("A delegate of uploads that blocks holds up the uploads alone, and one may stop Epitaph")
    func uploadDelegate() throws {
        let server = try IntakeServer()
        let id = try here.leaveDump()
        var configuration = here.configuration
        configuration.destination = server.reportsURL
        configuration.uploadsEnabled = true
        let door = door
        configuration.uploads.delegate = Hook { door.wait() }
        Epitaph.start(configuration)
        #expect(eventually { door.isReached })
        #expect(seconds { Epitaph.stop() } < 50)
        #expect(Epitaph.state == .stopped && server.requests.isEmpty)
        door.open()

        let told = Log()
        configuration.uploads.delegate = Hook {
            Epitaph.stop()
            told.add("\(Epitaph.state)")
        }
        Epitaph.start(configuration)
        #expect(eventually(withinSeconds: 60) { told.lines == ["\(Epitaph.State.stopped)"] })
        #expect(here.has(id, "pending") || here.has(id, "completed"))
    }

    /// Is asked about each report.
    private struct Hook: UploadDelegate {
        let body: @Sendable () -> Void

        func shouldProcess(_ report: PendingReport) -> Bool {
            body()
            return true
        }
    }

    @Test("A transformation that throws leaves the report where it is")
    func transformation() throws {
        let server = try IntakeServer()
        let id = try here.leaveDump()
        var configuration = here.configuration
        configuration.destination = server.reportsURL
        configuration.uploadsEnabled = true
        let calls = Log()
        configuration.uploads.transform = { _ throws(TransportError) in
            calls.add("")
            throw .cannotConnect(server: "here", reason: "the program says no")
        }
        Epitaph.start(configuration)
        #expect(eventually(withinSeconds: 60) { !calls.lines.isEmpty })
        Epitaph.stop()
        #expect(server.requests.isEmpty && here.has(id, "pending"))
    }

    @Test("An error that does not say what it is, and completions that block, hold up nobody")
    func handledErrors() throws {
        var configuration = here.configuration
        configuration.processesEarlierDumps = false
        Epitaph.start(configuration)
        let errors = try #require(Epitaph.errors)
        let (door, told) = (door, Log())
        #expect(seconds { Epitaph.report(Slow(door: door)) } < 50)
        #expect(eventually { door.isReached })
        for number in 1...3 {
            errors.send(message: "waits", fileID: #fileID, line: UInt(number)) { result in
                told.add("\(result)")
                door.wait()
            }
        }
        #expect(seconds { Epitaph.stop() } < 50)
        #expect(Epitaph.state == .stopped)
        // Their turn did not come, which they are told on a thread of their own.
        #expect(eventually { told.lines.count == 1 })
        door.open()
        #expect(eventually { told.lines.count == 3 })
        #expect(errors.losses.stopped == 3)
    }

    @Test("A completion may report errors and stop Epitaph")
    func completions() throws {
        var configuration = here.configuration
        configuration.processesEarlierDumps = false
        Epitaph.start(configuration)
        let errors = try #require(Epitaph.errors)
        let told = Log()
        errors.send(error: Unhappy()) { _ in
            Epitaph.report(message: "from a completion")
            Epitaph.stop()
            told.add("\(Epitaph.state)")
        }
        #expect(
            eventually(withinSeconds: 60) { told.lines == ["\(Epitaph.State.stopped)"] },
            "\(told.lines)")
    }
}
