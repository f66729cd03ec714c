// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("What a server's answer means for a log")
struct AnswerTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    @Test("Success deletes the log", arguments: [200, 201, 202, 204])
    func success(_ status: Int) throws {
        try lab.write("text", to: "app.log.1")
        lab.server.answer(UploadResponse(status: status))
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.names.isEmpty)
    }

    @Test(
        "An answer that may pass keeps it for a quick retry, and then for slower ones",
        arguments: [408, 425, 429, 500, 502, 503, 599])
    func retries(_ status: Int) throws {
        try lab.write("text", to: "app.log.1")
        lab.server.answer = { _ in UploadResponse(status: status, body: Array("busy".utf8)) }
        var pass = try lab.pass()
        var waits: [Double] = []
        for _ in 0..<6 {
            let summary = pass.run()
            #expect(summary.failedCount == 1)
            let wait = try #require(summary.secondsToNextStep)
            #expect(pass.run().waitingCount == 1)
            waits.append(wait)
            lab.clock.advance(bySeconds: wait)
        }
        // The limits' 5 seconds, doubled, then a quarter of an hour, doubled; stretched by up to a
        // quarter.
        for (wait, base) in zip(waits, [5.0, 10, 20, 900, 1_800, 3_600]) {
            #expect((base...base * 1.26).contains(wait), "\(wait) for \(base)")
        }
        #expect(lab.server.requests.count == 6)
        #expect(
            lab.delegate.news().first
                == "failed app.log.1: the server answered \(status) and said: busy")
        #expect(lab.text("app.log.1") == "text")
    }

    @Test(
        "A refusal keeps it until the next start, with the server's words",
        arguments: [400, 409, 413, 415, 302])
    func refusals(_ status: Int) throws {
        try lab.write("text", to: "app.log.1")
        lab.server.answer(UploadResponse(status: status, body: Array("no such project".utf8)))
        var pass = try lab.pass()
        #expect(pass.run().refusedCount == 1)
        #expect(
            lab.delegate.news() == [
                "failed app.log.1: the server answered \(status) and said: no such project, "
                    + "for good"
            ])
        lab.clock.advance(bySeconds: 1e6)
        try lab.write("more", to: "app.log.2", age: 0)
        #expect(pass.run().refusedCount == 1)
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["text", "more"])
        #expect(lab.names == ["app.log.1"])
        var next = try lab.pass()
        #expect(next.run().uploadedCount == 1)
    }

    @Test(
        "A wrong address or key is no log's fault: one hears it, all wait and are tried again",
        arguments: [401, 403, 404, 405, 407, 410])
    func wrongKey(_ status: Int) throws {
        try lab.write("text", to: "app.log.1")
        try lab.write("more", to: "app.log.2")
        lab.server.answer = { _ in UploadResponse(status: status) }
        var pass = try lab.pass()
        var waits: [Double] = []
        for count in 1...3 {
            let summary = pass.run()
            #expect(summary.failedCount == 1 && summary.refusedCount == 0)
            #expect(lab.server.requests.count == count)
            waits.append(try #require(summary.secondsToNextStep))
            lab.clock.advance(bySeconds: waits[count - 1])
        }
        for (wait, base) in zip(waits, [900.0, 1_800, 3_600]) {
            #expect((base...base * 1.26).contains(wait), "\(wait) for \(base)")
        }
        lab.server.answer = { _ in UploadResponse(status: 200) }
        #expect(pass.run().uploadedCount == 2)
    }

    @Test("Another log that is rolled is a reason to try again at once")
    func rolledAgain() throws {
        try lab.write("text", to: "app.log.1")
        lab.server.answer(UploadResponse(status: 500))
        var pass = try lab.pass()
        _ = pass.run()
        #expect(pass.run().waitingCount == 1)
        try lab.write("more", to: "app.log.2", age: 0)
        #expect(pass.run().uploadedCount == 1)
    }

    @Test("A restart is a reason to try again at once")
    func restart() throws {
        try lab.write("text", to: "app.log.1")
        lab.server.answer(UploadResponse(status: 500))
        var pass = try lab.pass()
        _ = pass.run()
        var next = try lab.pass()
        #expect(next.run().uploadedCount == 1)
    }

    @Test("A server that asked to be left alone is, whatever is rolled meanwhile")
    func retryAfter() throws {
        try lab.write("text", to: "app.log.1")
        try lab.write("more", to: "app.log.2")
        lab.server.answer(UploadResponse(status: 503, retryAfter: "600"))
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(summary.failedCount == 1)
        #expect(summary.waitingCount == 1)
        try lab.write("third", to: "app.log.3")
        #expect(pass.run().settlingCount == 1)
        lab.clock.advance(bySeconds: 590)
        #expect(pass.run().waitingCount == 3)
        lab.clock.advance(bySeconds: 10)
        #expect(pass.run().uploadedCount == 3)
        #expect(lab.server.requests.count == 4)
    }

    @Test("A server that cannot be reached is asked once, not once for each log")
    func unreachable() throws {
        for number in 1...3 { try lab.write("\(number)", to: "app.log.\(number)") }
        lab.server.answer = { _ throws(TransportError) in
            throw .cannotConnect(server: "http://logs.example.org", reason: "refused")
        }
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(summary.failedCount == 1)
        #expect(summary.waitingCount == 2)
        #expect(
            lab.delegate.news() == [
                "failed app.log.1: cannot connect to http://logs.example.org: refused"
            ])
        lab.server.answer()
        lab.clock.advance(bySeconds: try #require(summary.secondsToNextStep))
        #expect(pass.run().uploadedCount == 3)
    }

    @Test("A log that fails by itself does not keep the others back")
    func poison() throws {
        try lab.write("bad", to: "app.log.1", age: 7_200)
        try lab.write("good", to: "app.log.2")
        lab.server.answer = { UploadResponse(status: $0.text == "bad" ? 500 : 200) }
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.names == ["app.log.1"])
    }

    @Test("A log the delegate keeps is asked for again at the next look")
    func kept() throws {
        try lab.write("text", to: "app.log.1")
        lab.delegate.isWilling = { _ in false }
        var pass = try lab.pass()
        #expect(pass.run().waitingCount == 1)
        #expect(lab.delegate.events.isEmpty)
        lab.delegate.isWilling = { $0.name == "app.log.1" && $0.sizeBytes == 4 }
        #expect(pass.run().uploadedCount == 1)
    }

    @Test("A stop cuts off the body that is on its way and leaves the rest for the next uploader")
    func stop() throws {
        try lab.write("text", to: "app.log.1")
        try lab.write("text", to: "app.log.2")
        lab.server.beforeBody = { [lab] in lab.clock.stop() }
        var pass = try lab.pass()
        _ = pass.run()
        #expect(lab.server.requests.isEmpty)
        #expect(lab.delegate.news().isEmpty)
        #expect(lab.names == ["app.log.1", "app.log.2"])
    }
}
