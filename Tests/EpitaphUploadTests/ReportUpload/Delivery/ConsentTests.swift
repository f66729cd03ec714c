// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphUpload

@Suite("Whether a report may go")
struct ConsentTests {
    private final class Asked: Sendable {
        let answer: ConfirmationAnswer
        /// How many reports each question was about.
        let questions = Mutex<[Int]>([])

        init(_ answer: ConfirmationAnswer) { self.answer = answer }

        var handler: UploadConfirmation {
            { reports in
                self.questions.withLock { $0.append(reports.count) }
                return self.answer
            }
        }

        var all: [Int] { questions.withLock { $0 } }
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

    @Test("One question is about all reports that wait, and its answer is kept before one is sent")
    func send() throws {
        let asked = Asked(.send)
        let bench = try bench(3, asked)
        #expect(try bench.upload().sentCount == 3)
        #expect(asked.all == [3] && !bench.queue.uploadsEnabled)
        #expect(bench.queue.log.prefix(3) == ["record send", "record send", "record send"])
    }

    @Test(
        "A no takes them out of the queue at once, and no answer leaves them there",
        arguments: ConfirmationAnswer.allCases)
    func answers(_ answer: ConfirmationAnswer) throws {
        let asked = Asked(answer)
        let bench = try bench(2, asked)
        let results = try bench.results()
        let left = bench.queue.reports.count
        switch answer {
        case .send, .always:
            #expect(left == 0 && results == [.sent(serverID: ""), .sent(serverID: "")])
        case .dontSend, .keep:
            #expect(left == 0 && results == [.skipped(.declined), .skipped(.declined)])
            #expect(bench.queue.log == ["record \(answer)", "record \(answer)"])
        case .later:
            #expect(left == 2 && results == [.skipped(.unanswered), .skipped(.unanswered)])
            #expect(try bench.upload().skippedCount == 2)
            #expect(asked.all == [2, 2])
        }
    }

    @Test("Always enables uploads for good, and is stored once")
    func always() throws {
        let asked = Asked(.always)
        let bench = try bench(3, asked)
        #expect(try bench.upload().sentCount == 3)
        #expect(bench.queue.uploadsEnabled && asked.all == [3])
        #expect(bench.queue.log.count { $0.hasPrefix("record") } == 1)
    }

    @Test("The user is not asked about what the program does not want")
    func unwanted() throws {
        let asked = Asked(.send)
        let bench = try bench(3, asked)
        struct Choosy: UploadDelegate {
            let unwanted: Epitaph.ID
            func shouldProcess(_ report: PendingReport) -> Bool { report.uuid != unwanted }
        }
        bench.callbacks.delegate = Choosy(unwanted: bench.queue.reports[1].uuid)
        #expect(
            try bench.results() == [
                .sent(serverID: ""), .skipped(.declined), .sent(serverID: ""),
            ])
        #expect(asked.all == [2])
    }

    @Test("Where uploads are on nobody is asked")
    func enabled() throws {
        let asked = Asked(.later)
        let bench = try bench(2, asked)
        bench.queue.uploadsEnabled = true
        #expect(try bench.upload().sentCount == 2)
        #expect(asked.all.isEmpty)
    }

    @Test("A yes that was followed by a failure is not asked for again")
    func remembered() throws {
        let asked = Asked(.send)
        let bench = try bench(1, asked)
        bench.transport.answers = [.status(500), .status(200)]
        bench.rules.limits.retryBehaviour = .none
        #expect(try bench.upload().failedCount == 1)
        #expect(bench.state().consent == .send)
        #expect(try bench.upload().sentCount == 1)
        #expect(asked.all == [1])
    }

    @Test("Nobody is asked about what cannot be sent now, or was refused, or is not due")
    func notAskedInVain() throws {
        let asked = Asked(.send)
        let bench = try bench(4, asked)
        bench.transport.answers = [.failure(.tls(server: "http://host", reason: "expired"))]
        var refused = DeliveryState()
        refused.isFinal = true
        bench.queue.states[bench.queue.reports[2].uuid] = refused
        bench.queue.reports[1].attempts = 1
        bench.queue.reports[1].lastAttempt = bench.clock.now()
        let results = try bench.results()
        #expect(results[2] == .skipped(.serverUnavailable))
        // Neither the refused one nor the one that is not due.
        #expect(asked.all == [2])
    }

    @Test("An answer that cannot be kept still counts for this pass")
    func unkept() throws {
        for (answer, sent, problems) in [
            (ConfirmationAnswer.send, 2, 2), (.dontSend, 0, 2), (.always, 2, 1),
        ] {
            let bench = try bench(2, Asked(answer))
            bench.queue.failingCalls = ["record"]
            let summary = try bench.upload()
            #expect(summary.sentCount == sent && summary.problems.count == problems)
        }
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
