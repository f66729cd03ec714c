// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Sending while the network comes and goes")
struct NetworkTests {
    @Test("Without a network nothing is tried; when it is back all reports go")
    func pauses() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.network = FakeNetwork([false, false, false])
        #expect(try bench.upload().sentCount == 2)
        #expect(bench.clock.waits == [15, 15, 15] && bench.sendTimes == [45, 45])
        #expect(bench.queue.log.filter { $0 == "begin" }.count == 2)
        #expect(bench.network.questions.allSatisfy { $0 == "http://host" })
    }

    @Test("Without a network for all the pass's patience no attempt is counted")
    func givesUp() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.network = FakeNetwork(Array(repeating: false, count: 1_000))
        #expect(try bench.results() == [.skipped(.noNetwork), .skipped(.noNetwork)])
        #expect(bench.clock.waits.reduce(0, +) == 600 && bench.queue.log.isEmpty)
    }

    @Test("When nobody can connect the whole pass waits longer and longer, then resumes")
    func resumes() throws {
        let bench = try DeliveryBench(
            reports: 2, .noConnection, .noConnection, .noConnection, .status(200))
        #expect(try bench.upload().sentCount == 2)
        #expect(bench.sendTimes.count == 5)
        #expect(bench.sendTimes.last == 35)
        #expect(Set(bench.sendTimes) == [0, 5, 15, 35])
    }

    @Test("When the connection stays away the pass ends, and the rest is not even tried")
    func ends() throws {
        let bench = try DeliveryBench(reports: 50, .noConnection)
        let results = try bench.results()
        #expect(bench.sendTimes == [0, 5, 15, 35])
        let skipped = results.count { $0 == .skipped(.serverUnavailable) }
        #expect(skipped >= 46 && results.count == 50)
    }

    @Test("A connection in between starts the count of failed ones anew")
    func reset() throws {
        let bench = try DeliveryBench(
            reports: 3, .noConnection, .status(200), .noConnection, .status(200))
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.clock.waits == [5, 5])
    }

    @Test(
        "What no waiting mends in minutes ends the pass at once",
        arguments: [
            TransportError.tls(server: "http://host", reason: "expired"),
            .invalidURL(reason: "odd"), .unavailable(reason: "no memory"),
        ])
    func hopeless(error: TransportError) throws {
        let bench = try DeliveryBench(reports: 2, .failure(error))
        #expect(
            try bench.results() == [
                .failed(.transport(error)), .skipped(.serverUnavailable),
            ])
        #expect(bench.clock.waits.isEmpty)
    }

    @Test(
        "Only this machine itself is reachable for certain",
        arguments: [
            ("http://127.0.0.1:8080", true), ("http://127.255.0.1", true),
            ("https://[::1]:4", true),
            ("http://localhost", true), ("http://LOCALHOST:1", true),
            ("https://crash.localhost", true), ("https://crash.example.org", false),
            ("http://127.example.org", false), ("http://127.0.0.1.example.org", false),
            ("http://128.0.0.1", false), ("http://[::2]", false), ("http://127.0.0", false),
            ("", false),
        ])
    func loopback(server: String, isLoopback: Bool) {
        #expect(RouteTableWatch.isLoopback(server) == isLoopback)
    }
}
