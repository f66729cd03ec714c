// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Trying again within a pass")
struct RetryTests {
    @Test("A report is tried once and three times more, waiting 5, 10 and 20 seconds, then left")
    func fourTries() throws {
        let bench = try DeliveryBench(.status(500, "down"))
        let results = try bench.results()
        #expect(
            results == [.failed(.refused(UploadResponse(status: 500, body: Array("down".utf8))))])
        #expect(bench.sendTimes == [0, 5, 15, 35])
        #expect(bench.state().quickTries == 3 && !bench.state().isFinal)
        #expect(bench.state().lastOutcome?.status == 500)
        #expect(bench.state().lastOutcome?.words == "down")
        #expect(bench.state().lastOutcome?.server == "http://host")
    }

    @Test("A retry that succeeds is a success, and each try is written down before it is sent")
    func recovery() throws {
        let bench = try DeliveryBench(.status(502), .interrupted, .status(200, "bp-1"))
        #expect(try bench.results() == [.sent(serverID: "bp-1")])
        #expect(
            bench.queue.log == [
                "begin", "send at 0", "leave", "begin", "send at 5", "leave", "begin", "send at 15",
                "complete bp-1",
            ])
    }

    @Test("While a report waits for its retry the others are sent")
    func othersGo() throws {
        let bench = try DeliveryBench(
            reports: 3, .status(500), .status(200, "b"), .status(200, "c"), .status(200, "a"))
        let first = bench.queue.reports[0].uuid
        let summary = try bench.upload()
        #expect(bench.sendTimes == [0, 0, 0, 5])
        #expect(summary.reports.last == .init(uuid: first, result: .sent(serverID: "a")))
        #expect(summary.sentCount == 3 && summary.failedCount == 0)
    }

    @Test("Without retries a report is tried once in a pass")
    func noRetries() throws {
        let bench = try DeliveryBench(reports: 2, .status(500))
        bench.rules.limits.retryBehaviour = .none
        #expect(try bench.upload().failedCount == 2)
        #expect(bench.sendTimes == [0, 0] && bench.clock.waits.isEmpty)
    }

    @Test("The newest report goes first if so wished", arguments: UploadLimits.RetryOrder.allCases)
    func order(order: UploadLimits.RetryOrder) throws {
        let bench = try DeliveryBench(reports: 3, .status(200))
        bench.rules.limits.retryOrder = order
        let ids = bench.queue.reports.map(\.uuid)
        #expect(
            try bench.upload().reports.map(\.uuid) == (order == .queue ? ids : ids.reversed()))
    }

    @Test(
        "A server that is busy and says for how long is left alone by all reports",
        arguments: [
            429, 503,
        ])
    func serverPause(status: Int) throws {
        let bench = try DeliveryBench(
            reports: 3, .status(status, retryAfter: "120"), .status(200))
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.sendTimes == [0, 120, 120, 120])
        #expect(
            bench.queue.pauses == ["http://host": Timestamp(secondsSince1970: 1_800_000_120)])
        #expect(try #require(bench.clock.waits.max()) <= 120)
    }

    @Test("A run without patience waits for a pause of up to five minutes, and not again and again")
    func shortPause() throws {
        let bench = try DeliveryBench(reports: 3, .status(429, retryAfter: "6"), .status(200))
        bench.rules.patienceSeconds = 0
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.sendTimes == [0, 6, 6, 6])
        let busy = try DeliveryBench(reports: 30, .status(429, retryAfter: "100"))
        busy.rules.patienceSeconds = 0
        #expect(try busy.upload().sentCount == 0)
        #expect(busy.clock.waits.reduce(0, +) <= 300)
        let away = try DeliveryBench(reports: 3, .status(503, retryAfter: "301"))
        away.rules.patienceSeconds = 0
        #expect(try away.upload().sentCount == 0)
        #expect(away.sendTimes == [0] && away.clock.waits.isEmpty)
    }

    @Test("A 429 without a time slows all reports by a minute")
    func bare() throws {
        let bench = try DeliveryBench(reports: 3, .status(429), .status(200))
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.sendTimes == [0, 60, 60, 60])
    }

    @Test(
        "Another failure with a Retry-After concerns its report alone", arguments: [408, 500, 504])
    func reportPause(status: Int) throws {
        let bench = try DeliveryBench(
            reports: 2, .status(status, retryAfter: "60"), .status(200))
        #expect(try bench.upload().sentCount == 2)
        #expect(bench.sendTimes == [0, 0, 60] && bench.queue.pauses.isEmpty)
    }

    @Test("A pause longer than the pass's patience ends it, and nobody else is tried")
    func longPause() throws {
        let bench = try DeliveryBench(
            reports: 3, .status(503, "maintenance", retryAfter: "3600"))
        let until = Timestamp(secondsSince1970: 1_800_003_600)
        let results = try bench.results()
        #expect(
            results.dropFirst() == [
                .skipped(.serverPaused(until: until)), .skipped(.serverPaused(until: until)),
            ])
        #expect(bench.sendTimes == [0] && bench.clock.waits.isEmpty)
        #expect(bench.state(0).notBefore == until)
    }

    @Test("The pause holds for the next pass and another process too, until it is over")
    func pauseKept() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        let until = bench.clock.now() + 3_600
        bench.queue.pauses = ["http://host": until, "http://other": until + 9]
        #expect(
            try bench.results() == [
                .skipped(.serverPaused(until: until)), .skipped(.serverPaused(until: until)),
            ])
        bench.clock.advance(bySeconds: 3_601)
        #expect(try bench.upload().sentCount == 2)
    }

    @Test("A pause from before the clock was set back does not count")
    func insanePause() throws {
        let bench = try DeliveryBench(.status(200))
        bench.queue.pauses = ["http://host": bench.clock.now() + 90_000]
        #expect(try bench.upload().sentCount == 1)
    }

    @Test("A pause that cannot be written down or read still holds for the pass")
    func pauseUnwritten() throws {
        let bench = try DeliveryBench(
            reports: 2, .status(429, retryAfter: "100"), .status(200))
        bench.queue.failingCalls = ["pause", "pauses"]
        let summary = try bench.upload()
        #expect(summary.sentCount == 2 && bench.sendTimes == [0, 100, 100])
        #expect(summary.problems.count == 1)
        #expect(summary.problems.first?.hasSuffix(": /db: disk full (pause)") == true)
    }

    @Test("What is known of a failure and cannot be written down is told, and stops nothing")
    func stateUnwritten() throws {
        let bench = try DeliveryBench(reports: 2, .status(400), .status(200))
        bench.queue.failingCalls = ["leave"]
        let summary = try bench.upload()
        #expect(summary.failedCount == 1 && summary.sentCount == 1)
        #expect(summary.problems.count == 1)
    }

    @Test("A stop ends the wait for a retry at once: the report has failed, the rest is left")
    func stop() throws {
        let bench = try DeliveryBench(reports: 1, .status(500))
        bench.clock.stop(inWait: 2)
        #expect(try bench.results() == [.failed(.refused(UploadResponse(status: 500)))])
        #expect(bench.sendTimes == [0, 5])
        let stopped = try DeliveryBench(reports: 2, .status(200))
        stopped.clock.stop()
        #expect(try stopped.results() == [.skipped(.stopped), .skipped(.stopped)])
    }
}
