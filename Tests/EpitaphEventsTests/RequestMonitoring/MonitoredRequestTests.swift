// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphTestSupport
import Foundation
import Testing

/// Requests of FoundationNetworking, made by the request victim in a process of its own.
@Suite struct MonitoredRequestTests {
    /// What it printed.
    struct Run {
        var plain = ""
        var monitored = ""
        var events: [NetworkRequestDetails] = []
        var requests: [String] = []
    }

    private func run(_ scenario: String) throws -> Run {
        let server = try TestServer("web.py")
        let program = try Victim.request.run(["http://127.0.0.1:\(server.port)", scenario])
        #expect(program.ending == .exited(0), "\(program.standardError)")
        var run = Run()
        for line in program.standardOutput.split(separator: "\n") {
            if line.hasPrefix("plain: ") { run.plain = String(line.dropFirst(7)) }
            if line.hasPrefix("monitored: ") { run.monitored = String(line.dropFirst(11)) }
            if line.hasPrefix("event: ") {
                run.events.append(
                    try JSONDecoder().decode(
                        NetworkRequestDetails.self, from: Data(line.dropFirst(7).utf8)))
            }
        }
        run.requests = server.text("requests").split(separator: "\n").map(String.init)
        return run
    }

    /// How the one event of a scenario ended.
    typealias End = (outcome: NetworkRequestDetails.Outcome, status: Int?, bytes: Int?)

    @Test(
        "A program and its server see the same with and without monitoring; a request is one event",
        arguments: [
            ("large", (.answered, 200, 1_048_576)), ("status", (.answered, 503, 8)),
            ("refused", (.failed, nil, nil)), ("closed", (.failed, nil, nil)),
            ("late", (.failed, nil, nil)), ("cancelled", (.cancelled, nil, nil)),
            ("neverResumed", (.cancelled, nil, nil)), ("suspended", (.failed, nil, nil)),
            ("redirected", (.answered, 200, 5)), ("redirectRefused", (.answered, 302, 9)),
            ("upload", (.answered, 200, 18)), ("uploadedFile", (.answered, 200, 100_000)),
            ("async", (.answered, 200, 70_000)),
            // Delegates and files get the body without anybody else seeing it.
            ("download", (.answered, 200, nil)), ("downloadDelegate", (.answered, 200, nil)),
            ("delegate", (.answered, 200, nil)),
            // The second attempt is FoundationNetworking's own.
            ("loggedIn", (.answered, 401, nil)), ("loginRefused", (.answered, 401, nil)),
            // Other tests look at the events of these.
            ("get", nil), ("post", nil), ("streamed", nil), ("fromCache", nil), ("crowd", nil),
            ("ownProtocol", nil), ("head", nil),
        ] as [(String, End?)])
    func same(scenario: String, end: End?) throws {
        let run = try run(scenario)
        #expect(!run.plain.isEmpty)
        #expect(run.monitored == run.plain)
        let half = run.requests.count / 2
        #expect(run.requests.count % 2 == 0)
        // Those of a crowd arrive in any order.
        #expect(run.requests.prefix(half).sorted() == run.requests.suffix(half).sorted())
        guard let end else { return }
        let event = run.events.first
        #expect(run.events.map(\.outcome) == [end.outcome])
        #expect(event?.status == end.status)
        #expect(event?.responseBytes == end.bytes)
        if end.outcome == .failed { #expect(event?.errorType?.isEmpty == false) }
    }

    @Test("An event has status, sizes and the first bytes of both bodies, and masked secrets")
    func answered() throws {
        let event = try #require(try run("post").events.first)
        #expect(event.method == "POST")
        #expect(event.url.hasSuffix("/echo"))
        #expect(event.outcome == .answered)
        #expect(event.status == 200)
        #expect(event.requestBytes == 13)
        #expect(event.responseBytes == 13)
        #expect(event.requestBody == "hello, s")
        #expect(event.responseBody == "hello, s")
        #expect(event.requestHeaders == ["authorization": "[hidden]", "x-own": "own"])
        #expect(event.responseHeaders == ["set-cookie": "[hidden]", "x-kind": "test"])
        #expect(event.durationSeconds >= 0)
    }

    @Test("The size of a body that an upload task has is known, and the body is not")
    func upload() throws {
        let event = try #require(try run("uploadedFile").events.first)
        #expect(event.requestBytes == 100_000)
        #expect(event.requestBody == nil)
    }

    @Test("Only what is sent to a server is an event: no answer of a cache or of the program")
    func cache() throws {
        #expect(try run("ownProtocol").events.isEmpty)
        let cached = try run("fromCache")
        #expect(cached.monitored.hasSuffix("from the cache"))
        #expect(cached.events.isEmpty && cached.requests.isEmpty)
    }

    @Test("Only a program that imports it links FoundationNetworking")
    func linked() throws {
        let library = Data("libFoundationNetworking.so".utf8)
        let programs = [(Victim.request.name, true), ("example-daemon", false)]
        for (name, isLinked) in programs {
            let program = try Data(
                contentsOf: URL(fileURLWithPath: Products.executable(name)),
                options: .mappedIfSafe)
            #expect((program.range(of: library) != nil) == isLinked, "\(name)")
        }
    }

    @Test("Of requests that run at once each is an event of its own")
    func crowd() throws {
        let events = try run("crowd").events
        #expect(events.count == 32)
        #expect(
            Set(events.compactMap(\.responseBytes)) == Set((1...32).map { $0 * 1_000 }))
        for event in events {
            #expect(event.url.hasSuffix("/bytes/\(event.responseBytes ?? -1)"))
        }
    }
}
