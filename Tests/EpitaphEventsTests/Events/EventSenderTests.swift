// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

@Suite struct EventSenderTests {
    @Test("The oldest events are sent first, and removed once the server has them")
    func order() throws {
        let lab = try EventLab()
        try lab.write("a", "b")
        try lab.write("c")
        var sender = try lab.sender()
        #expect(sender.step() == 0)
        #expect(lab.server.names == [["a", "b", "c"]])
        #expect(lab.files == [])
        #expect(lab.tally.present.sent == 3)
        #expect(sender.step() == nil)
        #expect(lab.server.bodies.count == 1)
        #expect(lab.server.requests[0].headers["content-type"] == "application/x-ndjson")
    }

    @Test("A request carries no more than it may; a larger batch goes alone")
    func size() throws {
        let lab = try EventLab()
        lab.options.requestBytes = 1_024
        let large = String(repeating: "x", count: 2_000)
        try lab.write("a", "b", large, "c")
        var sender = try lab.sender()
        while sender.step() != nil {}
        #expect(lab.server.names.map(\.count) == [2, 1, 1])
        #expect(lab.files == [])
    }

    @Test("Nothing is sent without consent")
    func consent() throws {
        let lab = try EventLab()
        lab.hasConsent = false
        try lab.write("a")
        var sender = try lab.sender()
        #expect(sender.step() == 15)
        #expect(lab.server.bodies.isEmpty)
        #expect(lab.names == ["a"])
    }

    @Test("A server that asks for a pause gets it, for all events", arguments: [429, 503])
    func pause(status: Int) throws {
        let lab = try EventLab()
        lab.server.answer(UploadResponse(status: status, retryAfter: "120"))
        try lab.write("a", "b")
        var sender = try lab.sender()
        #expect(sender.step() == 0)
        #expect(sender.step() == 120)
        lab.clock.advance(bySeconds: 119)
        #expect(sender.step() == 1)
        lab.clock.advance(bySeconds: 1)
        #expect(sender.step() == 0)
        #expect(lab.server.names == [["a", "b"], ["a", "b"]])
        #expect(lab.files == [])
        #expect(lab.tally.present.drops.total == 0)
    }

    @Test("Failures are retried with the waits of crash reports: quickly, then ever more rarely")
    func backoff() throws {
        let lab = try EventLab()
        lab.server.answer = { _ throws(TransportError) in
            throw .cannotConnect(server: "http://events.example.org", reason: "refused")
        }
        try lab.write("a")
        var sender = try lab.sender()
        var waits: [Double] = []
        for _ in 1...6 {
            #expect(sender.step() == 0)
            let next = sender.step()
            let wait = try #require(next)
            waits.append(wait)
            lab.clock.advance(bySeconds: wait)
        }
        for (wait, least) in zip(waits, [5, 10, 20, 900, 1_800, 3_600]) {
            #expect(wait >= Double(least) && wait <= Double(least) * 1.25)
        }
        #expect(lab.tally.present.sendingProblem?.contains("cannot connect") == true)
        lab.server.answer()
        #expect(sender.step() == 0)
        #expect(lab.files == [])
        #expect(lab.tally.present.sendingProblem == nil)
    }

    @Test("A wrong address or key holds everything back and loses nothing", arguments: [401, 404])
    func destinationRefused(status: Int) throws {
        let lab = try EventLab()
        lab.server.answer(UploadResponse(status: status))
        try lab.write("a", "b")
        var sender = try lab.sender()
        #expect(sender.step() == 0)
        let next = sender.step()
        let wait = try #require(next)
        #expect(wait >= 900)
        #expect(lab.names == ["a", "b"])
        lab.clock.advance(bySeconds: wait)
        #expect(sender.step() == 0)
        #expect(lab.files == [])
    }

    @Test(
        "Of events that the server will never take the culprit alone is dropped",
        arguments: [400, 413])
    func refused(status: Int) throws {
        let lab = try EventLab()
        lab.options.retries.reportsPerMin = 0
        lab.server.answer = { request in
            let isBad = request.text.contains("\"bad\"")
            return UploadResponse(status: isBad ? status : 200)
        }
        try lab.write("a", "b", "c", "bad", "d", "e")
        var sender = try lab.sender()
        while let wait = sender.step(), lab.server.bodies.count < 20 { #expect(wait == 0) }
        #expect(lab.files == [])
        #expect(lab.tally.present.drops[.refused] == 1)
        #expect(lab.tally.present.sent == 5)
    }

    @Test("A batch at which the server fails waits for itself; the others go on")
    func poison() throws {
        let lab = try EventLab()
        lab.options.retries.reportsPerMin = 0
        lab.server.answer = { request in
            let isBad = request.text.contains("\"bad\"")
            return UploadResponse(status: isBad ? 500 : 200)
        }
        try lab.write("bad", "a", "b")
        var sender = try lab.sender()
        for _ in 1...10 {
            let wait = sender.step() ?? 0
            lab.clock.advance(bySeconds: wait)
        }
        #expect(lab.names == ["bad"])
        #expect(lab.tally.present.drops.total == 0)
    }

    @Test("No more requests go out in a minute than may")
    func rate() throws {
        let lab = try EventLab()
        lab.options.retries.reportsPerMin = 2
        lab.options.requestBytes = 1_024
        let large = String(repeating: "x", count: 900)
        try lab.write(large + "a", large + "b", large + "c")
        var sender = try lab.sender()
        #expect(sender.step() == 0)
        #expect(sender.step() == 0)
        #expect(sender.step() == 60)
        lab.clock.advance(bySeconds: 60)
        #expect(sender.step() == 0)
        #expect(lab.server.bodies.count == 3)
    }

    @Test("Of two senders in one process one sends at a time, and both may")
    func twoHere() throws {
        let lab = try EventLab()
        try lab.write("a")
        var (one, other) = (try lab.sender(), try lab.sender())
        let store = try lab.store()
        let claim = try #require(try SendingClaim.take(in: store.directory))
        #expect(one.step() == 15)
        #expect(try SendingClaim.take(in: store.directory) == nil)
        withExtendedLifetime(claim) {}
        #expect(lab.server.bodies.isEmpty)
        _ = consume claim
        #expect(other.step() == 0)
        try lab.write("b")
        #expect(one.step() == 0)
        #expect(lab.server.names == [["a"], ["b"]])
    }

    @Test("Senders of different databases do not take each other for a sender of their own")
    func manyDatabases() throws {
        let labs = try (0..<8).map { _ in try EventLab() }
        let directories = try labs.map { try $0.store().directory }
        let refusals = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: directories.count) { index in
            for _ in 0..<500 where (try? SendingClaim.take(in: directories[index])) == nil {
                refusals.add(1, ordering: .relaxed)
            }
        }
        // With a lab goes its directory.
        withExtendedLifetime(labs) {}
        #expect(refusals.load(ordering: .relaxed) == 0)
    }

    @Test("While another process sends, this one waits; when that one dies, it goes on")
    func otherProcess() throws {
        let lab = try EventLab()
        try lab.write("a")
        try lab.directory.write([], to: "events/sender.lock")
        let holder = try LockHolder(.record, on: lab.directory.path("events/sender.lock"))
        var sender = try lab.sender()
        #expect(sender.step() == 15)
        #expect(lab.server.bodies.isEmpty)
        holder.end()
        #expect(sender.step() == 0)
        #expect(lab.server.names == [["a"]])
    }

    @Test("A batch that is gone, and a link in a batch's place, are passed over")
    func vanished() throws {
        let lab = try EventLab()
        try lab.write("a")
        try lab.directory.write(EventLab.line("secret"), to: "elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: lab.directory.path(
                "events/00000000000000000002-5-1-\(Epitaph.ID().description).ndjson"),
            withDestinationPath: lab.directory.path("elsewhere"))
        var sender = try lab.sender()
        #expect(sender.step() == 0)
        #expect(lab.server.names == [["a"]])
        #expect(sender.step() == nil)
    }
}
