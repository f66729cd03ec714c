// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphUpload

@Suite("Limits of a pass")
struct LimitTests {
    private final class Limited: UploadDelegate {
        let waits = Mutex<[Double]>([])

        func didReachLimit(_ limits: UploadLimits, waiting time: Duration) {
            waits.withLock { $0.append(time.inSeconds) }
        }
    }

    @Test("Reports above 30 in a minute wait; none is dropped, and the delegate hears of it")
    func rate() throws {
        let bench = try DeliveryBench(reports: 65, .status(200))
        let delegate = Limited()
        bench.callbacks.delegate = delegate
        #expect(try bench.upload().sentCount == 65)
        #expect(bench.sendTimes.count { $0 == 0 } == 30)
        #expect(bench.sendTimes.count { $0 == 60 } == 30)
        #expect(bench.sendTimes.count { $0 == 120 } == 5)
        #expect(delegate.waits.withLock { $0 } == [60, 60])
    }

    @Test("After the wait for the rate the gate is asked again")
    func rateAndGate() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.rules.limits.reportsPerMin = 1
        bench.rules.patienceSeconds = 0
        bench.callbacks.gate = { [clock = bench.clock] _ in
            clock.monotonicSeconds() < 1_060 ? .open : .closed(reason: "window over")
        }
        #expect(
            try bench.results() == [
                .sent(serverID: ""), .skipped(.notNow(reason: "window over")),
            ])
        #expect(bench.clock.waits == [60])
    }

    @Test("What earlier launches sent counts as well; what a clock that was set says does not")
    func earlierLaunches() throws {
        let bench = try DeliveryBench(reports: 3, .status(200))
        bench.rules.limits.reportsPerMin = 2
        bench.queue.earlierAttempts = [-70, -50, -20, 30].map {
            bench.clock.now().adding(seconds: $0)
        }
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.clock.waits == [10, 30, 30])
    }

    @Test("The rate counts over passes of one uploader")
    func overPasses() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.rules.limits.reportsPerMin = 2
        var uploader = try bench.uploader()
        #expect(try uploader.uploadPending().sentCount == 2)
        bench.queue.reports = [
            PendingReport(uuid: Epitaph.ID(), minidumpPath: bench.directory.path("0.dmp"))
        ]
        bench.clock.advance(bySeconds: 20)
        #expect(try uploader.uploadPending().sentCount == 1)
        #expect(bench.clock.waits == [40])
    }

    @Test(
        "After its quick retries a report is not due for a quarter of an hour and more",
        arguments: [(899.0, false), (900, true), (-899, false), (-901, true)])
    func longTerm(seconds: Double, isDue: Bool) throws {
        let bench = try DeliveryBench(.status(200))
        bench.queue.reports[0].uuid = Epitaph.ID("11111111-2222-4333-8444-555555555500")!
        bench.queue.reports[0].attempts = 4
        bench.queue.reports[0].lastAttempt = bench.clock.now()
        bench.clock.set(bench.clock.now() + seconds)
        let due = bench.queue.reports[0].lastAttempt! + 900
        #expect(try bench.results() == [isDue ? .sent(serverID: "") : .skipped(.notDue(due))])
    }

    @Test("A person who asks for a pass now does not wait for the long-term schedule")
    func ignoring() throws {
        let bench = try DeliveryBench(.status(200))
        bench.queue.reports[0].attempts = 4
        bench.queue.reports[0].lastAttempt = bench.clock.now()
        bench.rules.ignoresSchedule = true
        #expect(try bench.upload().sentCount == 1)
    }

    @Test("What the server will never take is not tried again by itself, but on request")
    func final() throws {
        let bench = try DeliveryBench(.status(400, "no such form"), .status(200))
        #expect(try bench.upload().failedCount == 1)
        #expect(bench.state().isFinal && bench.sendTimes == [0])
        #expect(bench.queue.settledRequests == [bench.queue.reports[0].uuid])
        bench.clock.advance(bySeconds: 1e6)
        bench.rules.ignoresSchedule = true
        let results = try bench.results()
        #expect(results == [.skipped(.refusedBefore(words: "no such form"))])
        #expect(results[0].description.contains("It said: no such form"))
        bench.queue.reports[0].isExplicitlyRequested = true
        #expect(try bench.upload().sentCount == 1)
    }

    @Test("What was refused with a Retry-After years ahead is bounded to a day")
    func notBefore() throws {
        let bench = try DeliveryBench(.status(500, retryAfter: "999999999"), .status(200))
        #expect(try bench.upload().failedCount == 1)
        #expect(bench.state().notBefore == bench.clock.now() + 86_400)
        bench.clock.advance(bySeconds: 86_399)
        #expect(try bench.upload().skippedCount == 1)
        bench.clock.advance(bySeconds: 1)
        #expect(try bench.upload().sentCount == 1)
    }
}
