// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

/// The whole log, with its threads.
@Suite struct EventLogTests {
    private struct Trouble: Error {}

    private func log(_ lab: EventLab) throws -> EventLog {
        try EventLog(inDatabase: lab.directory.path, options: lab.options, context: lab.context)
    }

    @Test("What is recorded before and after the start is on the disk after the stop")
    func startAndStop() throws {
        let lab = try EventLab()
        let log = try log(lab)
        #expect(log.record(EventLab.custom("early")))
        try log.start()
        try log.start()
        #expect(log.record(EventLab.custom("late")))
        #expect(log.stop(within: .seconds(60)))
        #expect(lab.names == ["early", "late"])
        #expect(!log.record(EventLab.custom("too late")))
        #expect(log.status.drops[.notRunning] == 1)
        #expect(log.stop(within: .seconds(60)))
    }

    @Test("A log that is stopped before its start writes what it has, and else starts no thread")
    func stopWithoutStart() throws {
        let lab = try EventLab()
        let log = try log(lab)
        #expect(log.record(EventLab.custom("early")))
        #expect(log.stop(within: .seconds(60)))
        #expect(lab.names == ["early"])
        #expect(try self.log(lab).stop(within: .seconds(0)))
    }

    @Test("Events come to the disk by themselves")
    func byThemselves() throws {
        let lab = try EventLab()
        let log = try log(lab)
        try log.start()
        log.record(EventLab.custom("a"))
        #expect(eventually { lab.names == ["a"] })
        log.record(EventLab.custom("b"))
        #expect(eventually { lab.names == ["a", "b"] })
        #expect(log.stop(within: .seconds(60)))
    }

    @Test("A flush waits until the events are on the disk")
    func flush() throws {
        let lab = try EventLab()
        lab.options.batchTime = .seconds(60)
        let log = try log(lab)
        log.record(EventLab.custom("early"))
        #expect(log.flush(within: .seconds(60)))
        #expect(lab.names == ["early"])
        try log.start()
        log.record(EventLab.custom("a"))
        #expect(log.flush(within: .seconds(60)))
        #expect(lab.names == ["early", "a"])
        #expect(log.stop(within: .seconds(60)))
        // Nobody is there to do it, and nobody is waited for.
        #expect(!log.flush(within: .seconds(3_600)))
    }

    @Test("A log that goes without a stop writes what it has")
    func dropped() throws {
        let lab = try EventLab()
        lab.options.batchTime = .seconds(60)
        do {
            let log = try log(lab)
            try log.start()
            log.record(EventLab.custom("a"))
        }
        #expect(eventually { lab.names == ["a"] })
    }

    @Test("Sixteen threads record a hundred thousand events; none is lost uncounted")
    func flood() throws {
        let lab = try EventLab()
        let log = try log(lab)
        try log.start()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            for _ in 0..<6_250 { log.record(EventLab.custom("x")) }
        }
        #expect(log.stop(within: .seconds(120)))
        let status = log.status
        #expect(status.recorded + status.drops[.bufferFull] == 100_000)
        #expect(UInt64(lab.names.count) == status.recorded)
        let told = lab.events.reduce(UInt64(0)) { sum, event in
            guard case .eventsDropped(let details) = event.payload else { return sum }
            return sum + (details.counts["bufferFull"] ?? 0)
        }
        #expect(told == status.drops[.bufferFull])
    }

    private indirect enum Wrapped: Error {
        case first
        case again(Wrapped)
    }

    @Test(
        "An observer that ends the log is not waited for by itself; its deepest error is described")
    func endingObserver() throws {
        let log = try log(EventLab())
        let took = Mutex<Duration?>(nil)
        let subscription = log.addObserver { [weak log] _ in
            let time = ContinuousClock().measure { _ = log?.stop(within: .seconds(60)) }
            took.withLock { $0 = time }
            var error = Wrapped.first
            for _ in 0..<5_000 { error = .again(error) }
            throw error
        }
        try log.start()
        log.record(EventLab.custom("last"))
        #expect(eventually(withinSeconds: 90) { took.withLock { $0 } != nil })
        #expect(try #require(took.withLock { $0 }) < .seconds(30))
        #expect(eventually { subscription.failureCount == 1 })
        #expect(subscription.lastFailure?.contains("again") == true)
    }

    @Test("An observer that throws, one that blocks and one that records go on beside the others")
    func observers() throws {
        let lab = try EventLab()
        lab.options.observerLimit = 5
        let log = try log(lab)
        let seen = Mutex<[String]>([])
        let gate = try StopSignal()
        let throwing = log.addObserver { _ in throw Trouble() }
        let blocking = log.addObserver { _ in _ = gate.wait(seconds: 600) }
        let recording = log.addObserver { [weak log] event in
            if event.customName == "0" { log?.record(EventLab.custom("from an observer")) }
        }
        let reading = log.addObserver { event in
            if let name = event.customName { seen.withLock { $0.append(name) } }
        }
        try log.start()
        for number in 0..<10 {
            log.record(EventLab.custom("\(number)"))
            #expect(log.flush(within: .seconds(60)))
            #expect(eventually { seen.withLock { $0.contains("\(number)") } })
        }
        #expect(eventually { seen.withLock { $0.contains("from an observer") } })
        #expect(eventually { throwing.failureCount + throwing.missedCount >= 10 })
        #expect(throwing.lastFailure?.contains("Trouble") == true)
        #expect(blocking.missedCount > 0)
        // On a busy machine the others are behind as well, once in a while.
        let observers = [throwing, blocking, recording, reading]
        #expect(
            eventually {
                log.status.drops[.observerBehind] == observers.reduce(0) { $0 + $1.missedCount }
            })
        // It waits for the one that blocks as long as it was told, and no longer.
        #expect(!log.stop(within: .seconds(0.05)))
        gate.stop()
    }

    @Test("An observer that was cancelled is told of nothing more")
    func cancelled() throws {
        let lab = try EventLab()
        let log = try log(lab)
        let count = Atomic(0)
        let subscription = log.addObserver { _ in count.add(1, ordering: .relaxed) }
        try log.start()
        log.record(EventLab.custom("a"))
        #expect(eventually { count.load(ordering: .relaxed) == 1 })
        subscription.cancel()
        log.record(EventLab.custom("b"))
        #expect(log.stop(within: .seconds(60)))
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test("Events of an earlier launch are sent first, compressed")
    func sending() throws {
        let lab = try EventLab()
        try lab.write("earlier")
        let log = try log(lab)
        let requests = Mutex<[(encoding: Bool, count: Int)]>([])
        let template = try RequestTemplate(.post, url: "http://events.example.org/")
        try log.startSending(
            to: TemplateEventDestination(template), hasConsent: { true },
            makeTransport: {
                CountingTransport { request in
                    requests.withLock {
                        $0.append(
                            (request.headers.contains(.gzipEncoded), request.body.contentLength))
                    }
                }
            })
        try log.start()
        log.record(EventLab.custom("now"))
        #expect(eventually { log.status.sent == 2 })
        #expect(lab.files == [])
        #expect(requests.withLock { $0.allSatisfy { $0.encoding && $0.count > 20 } })
        #expect(log.stop(within: .seconds(60)))
    }

    @Test("A forked child neither records nor waits, and its parent goes on")
    func fork() throws {
        let lab = try EventLab()
        let log = try log(lab)
        try log.start()
        log.record(EventLab.custom("of the parent"))
        let payload = EventLab.custom("of the child")
        let processID = try ForkedChild.run {
            let isRecorded = log.record(payload)
            let isStopped = log.stop(within: .seconds(600))
            return isRecorded || isStopped ? 1 : 0
        }
        #expect(Subprocess.wait(for: processID, deadlineSeconds: 20) == .exited(0))
        log.record(EventLab.custom("and again"))
        #expect(log.stop(within: .seconds(60)))
        #expect(lab.names == ["of the parent", "and again"])
    }
}

/// Answers 200 to everything.
private final class CountingTransport: Transport {
    private let note: (UploadRequest) -> Void

    init(_ note: @escaping (UploadRequest) -> Void) {
        self.note = note
    }

    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        note(request)
        return UploadResponse(status: 200)
    }
}
