// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphTestSupport
import Foundation
import Testing

@testable import Epitaph

@Suite struct HangDetectionTests {
    private func run(_ way: String) throws -> Subprocess {
        let directory = try TemporaryDirectory()
        return try Victim.watch.run([directory.path("db"), way], deadlineSeconds: 120)
    }

    @Test(
        "A queue that does nothing is a hang, and the main thread is named where it runs the main queue",
        arguments: [
            (
                "main-runloop",
                "main queue began, first thread, dumped\nmain queue ended, first thread\n"
            ),
            ("main-dispatch", "main queue began, no thread, dumped\nmain queue ended, no thread\n"),
            ("queue", "requests began, no thread, dumped\nrequests ended, no thread\n"),
        ])
    func queues(_ way: String, _ output: String) throws {
        let run = try run(way)
        #expect(run.ending == .exited(0), "\(run.standardError)")
        #expect(run.standardOutput == output)
    }

    @Test("Of a dispatch queue that is watched by its label the report names the thread")
    func labelledQueue() throws {
        let directory = try TemporaryDirectory()
        let run = try Victim.watch.run(
            [directory.path("db"), "labelled-queue"], deadlineSeconds: 120)
        #expect(run.ending == .exited(0), "\(run.standardError)")
        let name = "org.example.requests"
        // The event is told before the dump is read.
        #expect(
            run.standardOutput
                == "\(name) began, no thread, dumped\n\(name) ended, no thread, dumped\n")
        let converted = try Subprocess.run([
            Products.executable("dump-convert"), "process", "--database", directory.path("db"),
        ])
        #expect(converted.ending == .exited(0), "\(converted.standardError)")
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", "latest", "--json", "--database",
            directory.path("db"),
        ])
        #expect(shown.ending == .exited(0), "\(shown.standardError)")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(shown.standardOutput.utf8))
                as? [String: Any])
        let request = try #require(json["request"] as? [String: Any])
        let thread = try #require(request["threadId"] as? Int)
        let threads = json["threads"] as? [[String: Any]] ?? []
        let stuck = try #require(threads.first { $0["id"] as? Int == thread })
        #expect("\(stuck)".contains("hangInLock"), "\(stuck)")
    }

    @Test("A main queue that nobody runs is no hang")
    func unused() throws {
        let run = try run("main-unused")
        #expect(run.standardOutput == "none\n")
    }

    @Test("A heartbeat is watched while there is work, and not between")
    func heartbeat() throws {
        let run = try run("heartbeat")
        #expect(
            run.standardOutput
                == "importer began, first thread, dumped\nimporter ended, first thread\n")
    }

    @Test("Options outside of their range become the nearest inside, and get to the C library")
    func options() {
        var options = HangOptions()
        #expect(options.threshold == .seconds(2) && options.pollInterval == .milliseconds(500))
        options.threshold = .milliseconds(-1)
        options.pollInterval = .milliseconds(Int.max)
        options.reportAfter = .seconds(0)
        options.dumpsPerHour = 100
        options.keepsRecovered = true
        #expect(options.threshold == .milliseconds(100) && options.pollInterval == .seconds(60))
        #expect(options.reportAfter == .seconds(1) && options.dumpsPerHour == 32)
        let forC = options.forC
        #expect(forC.poll_ms == 60_000 && forC.report_after_ms == 1_000)
        #expect(forC.dumps_per_hour == 32 && forC.keeps_recovered == 1)
    }

    @Test("An event of the C library is the same in Swift, and one of an unknown kind is none")
    func event() {
        var event = epitaph_hang_event()
        event.kind = EPITAPH_HANG_EVENT_REPORTED
        event.silent_ms = 2_400
        event.has_dump = 1
        let reported = "queue".withCString { name in
            event.name = name
            return HangEvent(event)
        }
        #expect(
            reported
                == HangEvent(
                    kind: .reported, name: "queue", threadID: nil, silence: .milliseconds(2_400),
                    hasDump: true))
        event.kind = epitaph_hang_event_kind(rawValue: 9)
        #expect(HangEvent(event) == nil)
    }
}
