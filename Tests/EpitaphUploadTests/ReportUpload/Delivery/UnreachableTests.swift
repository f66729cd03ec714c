// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("A server that was never reached costs no report its turn")
struct UnreachableTests {
    @Test("It is tried again after a minute and at least every quarter of an hour, once a pass")
    func schedule() throws {
        let bench = try DeliveryBench(reports: 2, .noConnection)
        bench.rules.limits.retryBehaviour = .none
        _ = try bench.upload()
        var waits: [Double] = []
        for _ in 0..<6 {
            waits.append(try bench.uploadUntilNextRequest())
        }
        #expect(waits == [60, 120, 240, 480, 900, 900])
    }

    @Test("The quick tries of one pass are one try, and an answer of any kind ends the trouble")
    func oneTry() throws {
        let bench = try DeliveryBench(reports: 1, .noConnection)
        _ = try bench.upload()
        #expect(bench.sendTimes == [0, 5, 15, 35])
        let standing = try #require(bench.queue.standings.values.first)
        #expect(standing.tries == 1 && standing.trouble == .unreachable)
        #expect(standing.words.hasPrefix("cannot connect to http://host"))
        bench.clock.advance(bySeconds: 100)
        bench.transport.answers = [.status(500)]
        _ = try bench.upload()
        #expect(bench.queue.standings.values.first?.trouble == nil)
    }

    @Test("After weeks without a server a report waits for its first failure as a new one does")
    func noTurnLost() throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let database = try ReportDatabase(
            opening: directory.path("db"), ifMissing: .create, clock: clock)
        try database.updateSettings { $0.uploadsEnabled = true }
        let new = try database.prepareReport()
        var sink = new.sink
        try sink.append(Array("MDMP".utf8))
        let uuid = try new.finish().uuid
        let transport = FakeTransport(.noConnection)
        var uploader = ReportUploader(
            database, to: UploadDestination(try UploadURL("http://host/")), by: transport,
            clock: clock, network: FakeNetwork())
        for _ in 0..<20 {
            _ = try uploader.uploadPending()
            clock.advance(bySeconds: 100_000)
        }
        // They were counted before each was made, and are reported.
        #expect(try database.report(uuid).uploadAttempts == 80)
        #expect(try database.deliveryState(of: uuid).destinationTries == 80)

        transport.answers = [.status(500)]
        #expect(try uploader.uploadPending().failedCount == 1)
        let failed = clock.now()
        let results = try uploader.uploadPending().reports.map(\.result)
        guard case .skipped(.notDue(let due))? = results.first else {
            Issue.record("\(results)")
            return
        }
        #expect((890...1_200).contains(due.seconds(since: failed)))
    }

    @Test("The first success makes all others due that failed for want of the server")
    func allDue() throws {
        let bench = try DeliveryBench(reports: 4, .status(502))
        bench.rules.limits.retryBehaviour = .none
        let now = bench.clock.now()
        for index in 0..<3 {
            bench.queue.reports[index].attempts = 9
            bench.queue.reports[index].lastAttempt = now
            var state = DeliveryState()
            state.lastOutcome = .init(
                time: now, server: "http://host", status: [502, nil, 400][index], words: "")
            bench.queue.states[bench.queue.reports[index].uuid] = state
        }
        bench.transport.answers = [.noConnection]
        bench.clock.advance(bySeconds: 10)
        #expect(try bench.upload().failedCount == 1)
        bench.clock.advance(bySeconds: 80)
        bench.transport.answers = [.status(200)]
        let results = try bench.results()
        #expect(results.count { $0 == .sent(serverID: "") } == 3)
        // What failed for its own sake waits for its own time.
        #expect(
            results.contains { if case .skipped(.notDue) = $0 { true } else { false } },
            "\(results)")
    }

    @Test("A report that alone makes the server fail is not made due by the others' successes")
    func poison() throws {
        let bench = try DeliveryBench(reports: 1, .status(500))
        bench.rules.limits.retryBehaviour = .none
        bench.queue.reports[0].attempts = 3
        bench.queue.reports[0].lastAttempt = bench.clock.now()
        var state = DeliveryState()
        state.lastOutcome = .init(
            time: bench.clock.now(), server: "http://host", status: 500, words: "")
        bench.queue.states[bench.queue.reports[0].uuid] = state
        bench.clock.advance(bySeconds: 10)
        let path = bench.queue.reports[0].minidumpPath
        bench.queue.reports.append(PendingReport(uuid: Epitaph.ID(), minidumpPath: path))
        bench.transport.answers = [.status(200)]
        #expect(try bench.upload().sentCount == 1)
    }
}
