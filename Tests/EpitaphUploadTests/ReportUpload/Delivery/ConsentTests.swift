// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import Foundation
import Synchronization
import Testing

@testable import EpitaphUpload

@Suite("Whether a report may go")
struct ConsentTests {
    private final class Asked: Sendable {
        let answers: Mutex<[ConfirmationAnswer]>
        let count = Mutex(0)

        init(_ answers: [ConfirmationAnswer]) { self.answers = Mutex(answers) }

        var handler: UploadConfirmation {
            { _ in
                self.count.withLock { $0 += 1 }
                return self.answers.withLock { $0.removeFirst() }
            }
        }
    }

    private func bench(_ reports: Int, _ asked: Asked?) throws -> DeliveryBench {
        let bench = try DeliveryBench(reports: reports, .status(200))
        bench.queue.uploadsEnabled = false
        bench.callbacks.confirmation = asked?.handler
        return bench
    }

    @Test("Where uploads are off and nobody asks, only reports that were asked for go")
    func disabled() throws {
        let bench = try bench(2, nil)
        bench.queue.reports[1].isExplicitlyRequested = true
        #expect(try bench.results() == [.skipped(.uploadsDisabled), .sent(serverID: "")])
    }

    @Test("Each answer does what it says, and is kept before anything is sent")
    func answers() throws {
        let asked = Asked([.send, .dontSend, .later])
        let bench = try bench(3, asked)
        let ids = bench.queue.reports.map(\.uuid)
        #expect(
            try bench.results() == [
                .sent(serverID: ""), .skipped(.declined), .skipped(.unanswered),
            ])
        #expect(bench.queue.states[ids[1]]?.consent == .dontSend)
        #expect(bench.queue.states[ids[2]] == nil)
        #expect(
            bench.queue.log == [
                "record send", "begin", "send at 0", "complete ", "record dont-send",
            ])
        #expect(!bench.queue.uploadsEnabled)
    }

    @Test("Always enables uploads for good, and the others are not asked for")
    func always() throws {
        let asked = Asked([.always])
        let bench = try bench(3, asked)
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.queue.uploadsEnabled && asked.count.withLock { $0 } == 1)
    }

    @Test("Where uploads are on nobody is asked")
    func enabled() throws {
        let asked = Asked([])
        let bench = try bench(2, asked)
        bench.queue.uploadsEnabled = true
        #expect(try bench.upload().sentCount == 2)
        #expect(asked.count.withLock { $0 } == 0)
    }

    @Test("A yes that was followed by a failure is not asked for again")
    func remembered() throws {
        let asked = Asked([.send])
        let bench = try bench(1, asked)
        bench.transport.answers = [.status(500), .status(200)]
        bench.rules.limits.retryBehaviour = .none
        #expect(try bench.upload().failedCount == 1)
        #expect(bench.state().consent == .send)
        #expect(try bench.upload().sentCount == 1)
        #expect(asked.count.withLock { $0 } == 1)
    }

    @Test("Nobody is asked about what cannot be sent now, or was refused, or is not due")
    func notAskedInVain() throws {
        let asked = Asked([.send])
        let bench = try bench(4, asked)
        bench.transport.answers = [.failure(.tls(server: "http://host", reason: "expired"))]
        var refused = DeliveryState()
        refused.isFinal = true
        bench.queue.states[bench.queue.reports[2].uuid] = refused
        bench.queue.reports[1].attempts = 1
        bench.queue.reports[1].lastAttempt = bench.clock.now()
        let results = try bench.results()
        #expect(results[2] == .skipped(.serverUnavailable))
        #expect(asked.count.withLock { $0 } == 1)
    }

    @Test("An answer that cannot be kept still counts for this pass")
    func unkept() throws {
        let asked = Asked([.send, .dontSend, .always])
        let bench = try bench(3, asked)
        bench.queue.failingCalls = ["record", "enable"]
        let summary = try bench.upload()
        #expect(summary.sentCount == 2 && summary.problems.count == 3)
        #expect(summary.reports[1].result == .skipped(.declined))
    }

    @Test("A closed gate is asked again until it opens")
    func gate() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        let left = Mutex(3)
        let answer: @Sendable () -> GateAnswer = {
            left.withLock { left in
                left -= 1
                return left >= 0 ? .closed(reason: "on battery") : .open
            }
        }
        bench.callbacks.gate = { _ in answer() }
        #expect(try bench.upload().sentCount == 2)
        #expect(bench.clock.waits == [15, 15, 15])
    }

    @Test("A gate that stays closed is waited for once, not once for each report")
    func closedGate() throws {
        let bench = try DeliveryBench(reports: 40, .status(200))
        let path = bench.queue.reports[39].minidumpPath
        bench.callbacks.gate = { $0.minidumpPath == path ? .open : .closed(reason: "metered") }
        let results = try bench.results()
        #expect(
            results.dropLast()
                == Array(
                    repeating: .skipped(.notNow(reason: "metered")), count: 39)[...])
        #expect(results.last == .sent(serverID: ""))
        #expect(bench.clock.waits.reduce(0, +) == 600)
    }

    @Test("A stop ends the wait at a closed gate")
    func stoppedAtGate() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.callbacks.gate = { _ in .closed(reason: "metered") }
        bench.clock.stop(inWait: 2)
        #expect(try bench.results() == [.skipped(.stopped), .skipped(.stopped)])
        #expect(bench.clock.waits.count == 2)
    }
}
