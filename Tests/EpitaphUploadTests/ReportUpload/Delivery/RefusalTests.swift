// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphUpload

@Suite("A refusal is about a destination and its key")
struct RefusalTests {
    private func refused(_ bench: DeliveryBench) throws -> DestinationStanding {
        try #require(bench.queue.standings.values.first { $0.trouble == .refused })
    }

    @Test(
        "One report hears it, and the others are left as they are",
        arguments: [401, 402, 403, 404, 405, 407, 410])
    func oneProbe(status: Int) throws {
        let bench = try DeliveryBench(reports: 10, .status(status, "no such\u{1b}[2J project"))
        let results = try bench.results()
        #expect(bench.sendTimes == [0])
        #expect(results.count == 10 && bench.queue.log.count { $0 == "begin" } == 1)
        #expect(
            results.dropFirst().allSatisfy {
                if case .skipped(.destinationRefused(status, "no such [2J project", _)) = $0 {
                    true
                } else {
                    false
                }
            })
        #expect(!bench.state().isFinal && bench.state().lastOutcome?.concernsDestination == true)
        #expect(
            results[9].description == "left pending: the server refuses every report with this"
                + " address and key, and is tried again after 2027-01-15T08:05:00Z. It answered"
                + " \(status) and said: no such [2J project")
    }

    @Test("It is tried again after five minutes, ever more rarely, by one report each time")
    func schedule() throws {
        let bench = try DeliveryBench(reports: 3, .status(404))
        _ = try bench.upload()
        var waits: [Double] = []
        for _ in 0..<9 {
            let before = bench.transport.requests.count
            waits.append(try bench.uploadUntilNextRequest())
            #expect(bench.transport.requests.count == before + 1)
        }
        #expect(
            waits == [300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 21_600, 21_600])
        #expect(try refused(bench).tries == 10)
    }

    @Test("Another report makes the next try, and a success sends all in the same pass")
    func recovery() throws {
        let bench = try DeliveryBench(reports: 4, .status(404), .status(200))
        let ids = bench.queue.reports.map(\.uuid)
        #expect(try bench.upload().failedCount == 1)
        bench.clock.advance(bySeconds: 301)
        let summary = try bench.upload()
        #expect(summary.sentCount == 4)
        #expect(summary.reports.map(\.uuid) == [ids[1], ids[2], ids[3], ids[0]])
        #expect(bench.queue.standings.values.first?.trouble == nil)
    }

    @Test(
        "Another key, another path and another server start afresh; the same waits",
        arguments: [
            ("http://host/submit?key=other", true), ("http://host/elsewhere?key=wrong", true),
            ("http://other/submit?key=wrong", true), ("http://host/submit?key=wrong", false),
        ])
    func newKey(url: String, isTried: Bool) throws {
        let bench = try DeliveryBench(reports: 2, .status(403), .status(200))
        bench.url = "http://host/submit?key=wrong"
        _ = try bench.upload()
        bench.url = url
        #expect(try bench.upload().sentCount == (isTried ? 2 : 0))
    }

    @Test("What is kept tells the destinations apart and not the key")
    func kept() throws {
        let bench = try DeliveryBench(reports: 1, .status(401))
        bench.url = "http://user:1234@host/submit/9876?token=4711"
        _ = try bench.upload()
        let kept = try #require(bench.queue.standings.first)
        let text = "\(kept)"
        #expect(!["1234", "9876", "4711", "submit", "user"].contains { text.contains($0) })
        // Of a key of four digits 10,000 can be tried: several fit.
        let fits = (0..<10_000).filter { number in
            let key = String(repeating: "0", count: 4 - "\(number)".count) + "\(number)"
            let url = "http://user:\(key)@host/submit/9876?token=4711"
            let name = DestinationIdentity(["crashpad", url])
                .fingerprint(salt: bench.queue.clientID)
            return kept.key.hasSuffix(" " + name)
        }
        #expect(fits.contains(1_234) && fits.count > 1)
        #expect("\(DestinationIdentity(["a", "secret"]))" == "2 parts")
    }

    @Test("Fingerprints differ by key and by installation, and spread over all numbers")
    func spread() {
        let salt = Epitaph.ID()
        let names = Set(
            (0..<20_000).map { DestinationIdentity(["put", "k\($0)"]).fingerprint(salt: salt) })
        #expect(names.count > 3_900 && names.allSatisfy { $0.utf8.count == 3 })
        let salted = Set(
            (0..<200).map { _ in DestinationIdentity(["put", "k"]).fingerprint(salt: Epitaph.ID()) }
        )
        #expect(salted.count > 150)
    }

    @Test("A person who asks for a pass now has one try at once")
    func now() throws {
        let bench = try DeliveryBench(reports: 3, .status(401))
        _ = try bench.upload()
        bench.rules.ignoresSchedule = true
        #expect(try bench.upload().failedCount == 1)
        #expect(bench.transport.requests.count == 2)
        bench.transport.answers = [.status(200)]
        #expect(try bench.upload().sentCount == 3)
    }

    @Test("What a person asked for stays asked for: it was not the report that was refused")
    func request() throws {
        let bench = try DeliveryBench(reports: 1, .status(404), .status(200))
        bench.queue.uploadsEnabled = false
        bench.queue.reports[0].isExplicitlyRequested = true
        _ = try bench.upload()
        #expect(bench.queue.settledRequests.isEmpty)
        bench.clock.advance(bySeconds: 301)
        #expect(try bench.upload().sentCount == 1)
    }

    @Test(
        "What is about the report stays about the report",
        arguments: [400, 406, 409, 411, 415, 422])
    func aboutTheReport(status: Int) throws {
        let bench = try DeliveryBench(reports: 3, .status(status), .status(200))
        let summary = try bench.upload()
        #expect(summary.failedCount == 1 && summary.sentCount == 2)
        #expect(bench.state().isFinal && bench.queue.standings.isEmpty)
    }

    @Test("A server that sends reports elsewhere is a wrong address, and not tried each time")
    func redirected() throws {
        let bench = try DeliveryBench(
            reports: 3,
            .failure(.redirectRefused(server: "http://host", target: "https://host")))
        #expect(try bench.upload().failedCount == 1)
        bench.clock.advance(bySeconds: 200)
        let results = try bench.results()
        #expect(bench.transport.requests.count == 1 && results.count == 3)
        #expect(results[0].description.contains(": http://host redirects uploads to https://host"))
    }

    @Test("A try from before the clock was set back holds nobody up")
    func clockSetBack() throws {
        let bench = try DeliveryBench(reports: 1, .status(404), .status(200))
        _ = try bench.upload()
        bench.clock.set(bench.clock.now() - 1e7)
        #expect(try bench.upload().sentCount == 1)
    }

    @Test("What cannot be written down is told, and holds for the pass all the same")
    func unwritten() throws {
        let bench = try DeliveryBench(reports: 3, .status(404))
        bench.queue.failingCalls = ["standing", "standings"]
        let summary = try bench.upload()
        #expect(bench.sendTimes == [0] && summary.skippedCount == 2)
        #expect(summary.problems.count == 1)
    }
}
