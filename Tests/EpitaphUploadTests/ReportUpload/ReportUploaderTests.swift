// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Sending pending reports")
struct ReportUploaderTests {
    @Test(
        "An attempt is written down before the report is sent, and its success after it",
        arguments: [200, 201, 202, 204, 299])
    func success(status: Int) throws {
        let bench = try DeliveryBench(reports: 2, .status(status, " bp-1\r\n"))
        #expect(
            try bench.results() == [.sent(serverID: "bp-1"), .sent(serverID: "bp-1")])
        let once = ["begin", "send at 0", "complete bp-1"]
        #expect(bench.queue.log == once + once)
        #expect(
            bench.transport.requests.allSatisfy { $0.url.text.contains("product=daemon&guid=") })
    }

    @Test(
        "Any other answer leaves the report pending, with the server's words",
        arguments: [100, 199, 300, 304, 400, 409, 500, 503])
    func refusal(status: Int) throws {
        let bench = try DeliveryBench(reports: 2, .status(status, "no\u{1b}[31m\nroom"))
        bench.rules = .oneTryEach
        let results = try bench.results()
        let response = UploadResponse(status: status, body: Array("no\u{1b}[31m\nroom".utf8))
        #expect(results == [.failed(.refused(response)), .failed(.refused(response))])
        #expect(
            results[0].description
                == "not sent: the server answered \(status) and said: no [31m room")
        let once = ["begin", "send at 0", "leave"]
        #expect(bench.queue.log == once + once)
    }

    @Test("A report that another process has is left to it")
    func busy() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.queue.taken = [bench.queue.reports[0].uuid]
        #expect(try bench.results() == [.skipped(.taken), .sent(serverID: "")])
    }

    @Test("A report that another process has sent or removed is passed over")
    func gone() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.queue.gone = [bench.queue.reports[0].uuid]
        let results = try bench.results()
        #expect(results == [.skipped(.gone), .sent(serverID: "")])
        #expect(results.first?.description == "not sent: another process has sent or removed it")
    }

    @Test("A report the server has already is filed, not sent")
    func alreadySent() throws {
        let bench = try DeliveryBench(reports: 1, .status(200))
        bench.queue.alreadySent = [bench.queue.reports[0].uuid]
        let summary = try bench.upload()
        #expect(summary.reports.map(\.result) == [.alreadySent] && summary.sentCount == 1)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test("A minidump that cannot be opened fails alone and is never sent")
    func missingFile() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        let path = bench.queue.reports[0].minidumpPath
        try FileManager.default.removeItem(atPath: path)
        let summary = try bench.upload()
        #expect(summary.sentCount == 1 && summary.failedCount == 1)
        #expect(summary.reports.last?.result.description.contains(path) == true)
        #expect(bench.transport.requests.count == 1)
    }

    @Test("A report that was sent and whose success was only noted says so, with the server's id")
    func noted() throws {
        let bench = try DeliveryBench(.status(200, "id7"))
        bench.queue.filing = .noted(.broken(path: "/db", reason: "disk full"))
        #expect(
            try bench.results()[0].description == "not sent: the server took it as id7; it will be"
                + " filed as sent by the next pass: /db: disk full")
    }

    @Test("What could not be filed at all is held on to and filed later, and sent once")
    func notFiled() throws {
        let bench = try DeliveryBench(.status(200, "id7"))
        bench.queue.filing = .open(.broken(path: "/db", reason: "disk full"))
        var uploader = try bench.uploader()
        let results = try uploader.uploadPending().reports.map(\.result)
        #expect(
            results[0].description == "not sent: the server took it as id7, but it could not be"
                + " filed as sent and may be sent again: /db: disk full")
        #expect(uploader.unfiled.count == 1)
        bench.queue.filing = .filed
        #expect(try uploader.uploadPending().reports.isEmpty)
        #expect(uploader.unfiled.isEmpty)
        #expect(
            bench.queue.log == [
                "begin", "send at 0", "complete id7", "complete id7", "complete id7",
            ])
    }

    @Test("Nothing is sent when the attempt cannot be written down")
    func cannotBegin() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        bench.queue.failingCalls = ["begin"]
        let error = DatabaseError.broken(path: "/db", reason: "disk full (begin)")
        #expect(try bench.results() == [.failed(.queue(error)), .failed(.queue(error))])
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(
        "Unreadable settings or lists stop the pass before anything is sent",
        arguments: ["settings", "list"])
    func unreadable(call: String) throws {
        let bench = try DeliveryBench(.status(200))
        bench.queue.failingCalls = [call]
        #expect(throws: DatabaseError.broken(path: "/db", reason: "disk full (\(call))")) {
            try bench.results()
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test("A stop is honoured between two reports, and each result is told as it comes")
    func stop() throws {
        let bench = try DeliveryBench(reports: 2, .status(200))
        var uploader = try bench.uploader()
        var reported: [UploadResult] = []
        let summary = try uploader.uploadPending { _, result in
            reported.append(result)
            bench.clock.stop()
        }
        #expect(reported == [.sent(serverID: ""), .skipped(.stopped)])
        #expect(summary.description == "1 sent, 0 failed, 1 left pending")
    }

    @Test("An empty queue is said in words")
    func nothingPending() throws {
        let bench = try DeliveryBench(reports: 0, .status(200))
        bench.queue.problems = ["/db/pending/x.dmp: broken"]
        let summary = try bench.upload()
        #expect(summary.description == "no report is pending, 1 unusable")
        #expect(summary.problems == bench.queue.problems)
    }

    @Test("A long or binary answer becomes one short line")
    func words() {
        let body = [0xff, 0x00] + [UInt8](repeating: 0x61, count: 5_000)
        let response = UploadResponse(status: 500, body: body)
        #expect(response.words == "\u{fffd} " + String(repeating: "a", count: 298) + "…")
        #expect(UploadResponse(status: 500, body: Array(" \r\n ".utf8)).text.isEmpty)
    }
}
