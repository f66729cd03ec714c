// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Reports that are begun and recorded together")
struct BatchPassTests {
    /// The calls in a row that are the same, counted.
    private func runs(_ log: [String]) -> [String] {
        var runs: [(String, Int)] = []
        for word in log.map({ String($0.prefix { $0 != " " }) }) {
            if runs.last?.0 == word { runs[runs.count - 1].1 += 1 } else { runs.append((word, 1)) }
        }
        return runs.map { "\($0.0) \($0.1)" }
    }

    private func bench(
        reports: Int, secondsEach: Double = 0,
        _ answers: Result<UploadResponse, TransportError>...
    ) throws -> DeliveryBench {
        let bench = try DeliveryBench(reports: reports)
        bench.transport.answers = answers
        bench.rules.limits.reportsPerMin = 0
        bench.transport.onSend = { [queue = bench.queue, clock = bench.clock] in
            queue.note("send")
            clock.advance(bySeconds: secondsEach)
        }
        return bench
    }

    @Test(
        "A server that answers quickly gets four times as many each time, many of them begun ahead")
    func quick() throws {
        let bench = try bench(reports: 30, .status(200))
        #expect(try bench.results() == Array(repeating: .sent(serverID: ""), count: 30))
        #expect(
            runs(bench.queue.log) == [
                "begin 1", "send 1", "complete 1", "begin 4", "send 1", "begin 16", "send 3",
                "complete 4", "begin 9", "send 16", "complete 16", "send 9", "complete 9",
            ])
    }

    @Test("With a slow server each report is recorded before the next is begun")
    func slow() throws {
        let bench = try bench(reports: 3, secondsEach: 0.2, .status(200))
        #expect(try bench.upload().sentCount == 3)
        let steps = ["begi", "send", "comp"]
        #expect(bench.queue.log.map { String($0.prefix(4)) } == steps + steps + steps)
    }

    @Test("What was sent is recorded after a second at the latest, with the next answer")
    func overdue() throws {
        let bench = try bench(reports: 40, secondsEach: 0.09, .status(200))
        #expect(try bench.upload().sentCount == 40)
        let longest = runs(bench.queue.log.filter { $0 != "begin" }).compactMap { run in
            run.hasPrefix("send ") ? Int(run.dropFirst(5)) : nil
        }.max()
        #expect(longest == 13)
    }

    @Test("A stop records what was sent, and gives back what was begun")
    func stopped() throws {
        let bench = try bench(reports: 30, .status(200))
        bench.transport.onSend = { [queue = bench.queue, clock = bench.clock] in
            queue.note("send")
            if queue.log.count(where: { $0 == "send" }) == 4 { clock.stop() }
        }
        let summary = try bench.upload()
        #expect(summary.sentCount == 4)
        #expect(
            runs(bench.queue.log).suffix(4) == ["begin 16", "send 2", "complete 3", "withdraw 17"])
    }

    @Test("A refusal ends the batch: what waits for its turn behind a pause does not count")
    func paused() throws {
        let bench = try bench(
            reports: 7, .status(200), .status(503, retryAfter: "30"), .status(200))
        #expect(try bench.upload().sentCount == 7)
        #expect(bench.queue.log.count { $0 == "withdraw" } == 3)
        #expect(bench.queue.log.count { $0 == "begin" } == 7 + 1 + 3)
    }

    @Test("Nobody's answer is waited for with attempts of others counted")
    func asked() throws {
        let bench = try bench(reports: 4, .status(200))
        bench.queue.uploadsEnabled = false
        bench.callbacks.confirmation = { _ in .send }
        #expect(try bench.upload().sentCount == 4)
        let log = bench.queue.log.filter { $0 == "begin" || $0 == "record send" }
        #expect(
            log == Array(repeating: "record send", count: 4) + Array(repeating: "begin", count: 4))
    }

    @Test("What the program does not want is never begun, so that it can be removed")
    func unwanted() throws {
        struct Choosy: UploadDelegate {
            let wanted: Set<Epitaph.ID>
            func shouldProcess(_ report: PendingReport) -> Bool { wanted.contains(report.uuid) }
        }
        let bench = try bench(reports: 9, .status(200))
        let ids = bench.queue.reports.map(\.uuid)
        let wanted = Set(ids.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
        bench.callbacks.delegate = Choosy(wanted: wanted)
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.queue.log.count { $0 == "begin" } == 3)
        #expect(bench.queue.log.count { $0 == "record dontSend" } == 6)
    }

    @Test("The rate bounds how many are begun at once")
    func rate() throws {
        let bench = try bench(reports: 20, .status(200))
        bench.rules.limits.reportsPerMin = 5
        #expect(try bench.upload().sentCount == 20)
        #expect(!bench.queue.log.contains("withdraw"))
    }

    @Test("A success that cannot be filed is told as such, and kept")
    func unfiled() throws {
        let bench = try bench(reports: 3, .status(200))
        bench.queue.filing = .open(.broken(path: "/db", reason: "disk full"))
        let results = try bench.results()
        #expect(results.count == 3)
        #expect(
            results.allSatisfy {
                $0 == .failed(.notFiled(serverID: "", .broken(path: "/db", reason: "disk full")))
            })
    }
}
