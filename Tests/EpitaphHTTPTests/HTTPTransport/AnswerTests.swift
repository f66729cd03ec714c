// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphHTTP

@Suite("What a server may answer")
struct AnswerTests {
    /// Quick to lose patience, and yet far above what any answer on this machine takes.
    static let patience: TimeLimits = {
        var limits = TimeLimits()
        limits.total = .seconds(30)
        return limits
    }()

    private func send(
        _ collector: Collector, _ bytes: [UInt8] = Array("report".utf8),
        limits: TimeLimits = patience
    ) -> Result<UploadResponse, TransportError> {
        do throws(TransportError) {
            let url = try UploadURL("http://name:secret@127.0.0.1:\(collector.port)/?k=secret")
            var options = TransportOptions()
            options.proxy = .none
            return .success(
                try CurlTransport(options).send(
                    UploadRequest(to: url, body: body(bytes), timeLimits: limits)))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "A refusal comes back with the server's words",
        arguments: [
            ("missing" as Collector.Answer, 404, "no such project"), ("broken", 500, "try later"),
            ("nowhere", 302, "lost"),
        ])
    func refusals(answer: Collector.Answer, status: Int, words: String) throws {
        let response = try send(Collector(answer)).get()
        #expect(response.status == status)
        #expect(response.words == words)
    }

    @Test("A refusal that comes while the body is still on its way is heard")
    func earlyRefusal() throws {
        let response = try send(
            Collector("early-refusal"), [UInt8](repeating: 1, count: 8 << 20)
        ).get()
        #expect(response.status == 413)
    }

    @Test(
        "A success that comes before the whole report was sent is none",
        arguments: [
            ("early-success" as Collector.Answer, ""), ("deaf-success", "it answered 200 after "),
        ])
    func earlySuccess(answer: Collector.Answer, words: String) throws {
        let collector = try Collector(answer)
        guard case .failure(let error) = send(collector, [UInt8](repeating: 1, count: 32 << 20))
        else {
            Issue.record("taken for a success")
            return
        }
        #expect(error.kind == "interrupted", "\(error)")
        #expect(words.isEmpty || error.description.contains(words), "\(error)")
    }

    @Test(
        "Faults of the exchange have their kind, name the server, and never the URL's secrets",
        arguments: [
            ("reset-in-request" as Collector.Answer, "interrupted"), ("close-early", "interrupted"),
            ("noise", "invalidAnswer"), ("elsewhere", "redirectRefused"),
            ("see-other", "redirectRefused"), ("circle", "redirectRefused"),
        ])
    func faults(answer: Collector.Answer, kind: String) throws {
        let collector = try Collector(answer)
        let result = send(collector)
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.kind == kind, "\(error)")
        #expect(error.description.contains("http://127.0.0.1:\(collector.port)"))
        #expect(!error.description.contains("secret"))
    }

    @Test("A redirect to another server is not followed, not even to another name of this one")
    func redirectElsewhere() throws {
        let collector = try Collector("elsewhere")
        guard case .failure(let error) = send(collector) else {
            Issue.record("followed")
            return
        }
        #expect(
            error
                == .redirectRefused(
                    server: "http://127.0.0.1:\(collector.port)",
                    target: "http://localhost:\(collector.port)"))
        #expect(collector.requests.count == 1)
    }

    @Test("A redirect on the same server is followed with the same body")
    func redirectHere() throws {
        let collector = try Collector("moved")
        #expect(try send(collector).get().text == "moved")
        #expect(collector.requests.count == 2)
        #expect(collector.requests.last?.lines.first == "POST /there?key=1 HTTP/1.1")
        #expect(collector.requests.last?.body == Array("report".utf8))
    }

    @Test("Redirects in a circle end after a few")
    func circle() throws {
        let collector = try Collector("circle")
        _ = send(collector)
        #expect(collector.requests.count == TransportOptions().redirectLimit + 1)
    }

    @Test("Of a gigabyte's answer a little is kept, and the rest is not waited for")
    func flood() throws {
        let response = try send(Collector("body-flood")).get()
        #expect(response.status == 200)
        #expect(response.body.count == 65_536)
        #expect(response.isBodyCut)
    }

    @Test(
        "A server that never answers is given up at the total limit or at the stall limit",
        arguments: [(0.3, 30, "no whole answer within 0.3 s"), (30, 1, "for 1 s")])
    func stall(total: Double, stall: Int, words: String) throws {
        var limits = TimeLimits()
        limits.total = .seconds(total)
        limits.stall = .seconds(stall)
        let collector = try Collector("stall")
        let start = ContinuousClock.now
        guard case .failure(let error) = send(collector, limits: limits) else {
            Issue.record("answered")
            return
        }
        #expect(error.kind == "timedOut", "\(error)")
        #expect(error.description.hasSuffix(words), "\(error)")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("No time at all is a time-out before anything is sent", arguments: [0, -1])
    func noTime(total: Double) throws {
        var limits = TimeLimits()
        limits.total = .seconds(total)
        let collector = try Collector("ok")
        guard case .failure(let error) = send(collector, limits: limits) else {
            Issue.record("answered")
            return
        }
        #expect(error.kind == "timedOut")
        #expect(collector.requests.isEmpty)
    }

    @Test("Nobody at the port, or no such host, is said with the reason")
    func nobody() throws {
        let transport = try directTransport()
        // Port 1, tcpmux, which nothing serves.
        let error = #expect(throws: TransportError.self) {
            try transport.send(
                UploadRequest(to: UploadURL("http://u:secret@127.0.0.1:1/secret"), body: body()))
        }
        #expect(
            error == .cannotConnect(server: "http://127.0.0.1:1", reason: "Connection refused"))
        // RFC 6761 6.4: names under .invalid never resolve.
        let unknown = #expect(throws: TransportError.self) {
            try transport.send(
                UploadRequest(to: UploadURL("http://u:secret@host.invalid/"), body: body()))
        }
        #expect(unknown?.kind == "cannotConnect")
        #expect(unknown?.description.contains("secret") == false)
    }
}
