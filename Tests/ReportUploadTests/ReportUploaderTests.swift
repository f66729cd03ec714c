// SPDX-License-Identifier: Apache-2.0

import Foundation
import Snapshot
import TestSupport
import Testing

@testable import ReportUpload

@Suite("Sending pending reports")
struct ReportUploaderTests {
    let directory: TemporaryDirectory
    let queue = FakeQueue()

    init() throws {
        directory = try TemporaryDirectory()
        try addReports(2)
    }

    private func addReports(_ count: Int) throws {
        for index in 0..<count {
            let path = try directory.write(Array("MDMP".utf8), to: "\(index).dmp")
            queue.reports.append(PendingReport(uuid: UUID(), minidumpPath: path))
        }
    }

    private func uploader(_ transport: FakeTransport) throws -> ReportUploader<FakeQueue> {
        transport.onSend = { [queue] in queue.note("send") }
        return ReportUploader(
            queue: queue, destination: UploadDestination(try UploadURL("http://host/")),
            transport: transport,
            describe: { _ in
                ReportContents(annotations: [Annotation(name: "prod", value: "daemon")])
            })
    }

    private func results(_ transport: FakeTransport) throws -> [UploadResult] {
        var uploader = try uploader(transport)
        return try uploader.uploadPending().reports.map(\.result)
    }

    @Test(
        "An attempt is written down before the report is sent, and its success after it",
        arguments: [200, 201, 202, 204, 299])
    func success(status: Int) throws {
        let transport = FakeTransport(
            .success(UploadResponse(status: status, body: Array(" bp-1\r\n".utf8))))
        #expect(
            try results(transport) == [.sent(serverID: "bp-1"), .sent(serverID: "bp-1")])
        let once = ["begin", "send", "complete bp-1"]
        #expect(queue.log == once + once)
        #expect(transport.requests.allSatisfy { $0.url.text.contains("product=daemon&guid=") })
    }

    @Test(
        "Any other answer leaves the report pending, with the server's words",
        arguments: [100, 199, 300, 304, 400, 404, 413, 429, 500, 503])
    func refusal(status: Int) throws {
        let response = UploadResponse(status: status, body: Array("no\u{1b}[31m\nroom".utf8))
        let results = try results(FakeTransport(.success(response)))
        #expect(results == [.failed(.refused(response)), .failed(.refused(response))])
        #expect(
            results[0].description
                == "not sent: the server answered \(status) and said: no [31m room")
        #expect(queue.log == ["begin", "send", "leave", "begin", "send", "leave"])
    }

    @Test("With uploads disabled only reports that someone asked for are sent; the others stay")
    func disabled() throws {
        queue.uploadsEnabled = false
        queue.reports[1].isExplicitlyRequested = true
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(
            try results(transport) == [.skipped(.uploadsDisabled), .sent(serverID: "")])
        #expect(transport.requests.count == 1)
        #expect(queue.log == ["begin", "send", "complete "])
    }

    @Test("A report that another process has is left to it")
    func busy() throws {
        queue.taken = [queue.reports[0].uuid]
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(try results(transport) == [.skipped(.taken), .sent(serverID: "")])
    }

    @Test("When the server cannot be reached the remaining reports are not even tried")
    func unreachable() throws {
        let error = TransportError.cannotConnect(server: "http://host", reason: "refused")
        #expect(
            try results(FakeTransport(.failure(error)))
                == [.failed(.transport(error)), .skipped(.serverUnavailable)])
        #expect(queue.log == ["begin", "send", "leave"])
    }

    @Test("A connection lost with one report does not keep the next from being sent")
    func interrupted() throws {
        let error = TransportError.interrupted(server: "http://host", reason: "reset")
        let transport = FakeTransport(
            .failure(error), .success(UploadResponse(status: 200)))
        #expect(
            try results(transport) == [.failed(.transport(error)), .sent(serverID: "")])
    }

    @Test("A minidump that cannot be opened fails alone and is never sent")
    func missingFile() throws {
        try FileManager.default.removeItem(atPath: queue.reports[0].minidumpPath)
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        let results = try results(transport)
        #expect(results[0].description.contains(queue.reports[0].minidumpPath))
        #expect(results[1] == .sent(serverID: ""))
        #expect(transport.requests.count == 1)
    }

    @Test("A report that was sent but could not be filed says so, with the server's id")
    func notFiled() throws {
        queue.failingCalls = ["complete"]
        let results = try results(
            FakeTransport(.success(UploadResponse(status: 200, body: Array("id7".utf8)))))
        #expect(
            results[0].description == "not sent: the server took it as id7, but it could not be"
                + " filed as sent and may be sent again: /db: disk full (complete)")
    }

    @Test("Nothing is sent when the attempt cannot be written down")
    func cannotBegin() throws {
        queue.failingCalls = ["begin"]
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        let error = QueueError("/db: disk full (begin)")
        #expect(try results(transport) == [.failed(.queue(error)), .failed(.queue(error))])
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "Unreadable settings or lists stop the pass before anything is sent",
        arguments: ["settings", "list"])
    func unreadable(call: String) throws {
        queue.failingCalls = [call]
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(throws: QueueError("/db: disk full (\(call))")) { try results(transport) }
        #expect(transport.requests.isEmpty)
    }

    @Test("A stop is honoured between two reports")
    func stop() throws {
        var uploader = try uploader(FakeTransport(.success(UploadResponse(status: 200))))
        var reported: [UploadResult] = []
        let summary = try uploader.uploadPending(
            while: { reported.isEmpty }, report: { _, result in reported.append(result) })
        #expect(reported == [.sent(serverID: ""), .skipped(.stopped)])
        #expect(summary.description == "1 sent, 0 failed, 1 left pending")
    }

    @Test("An empty queue is said in words")
    func nothingPending() throws {
        queue.reports = []
        queue.problems = ["/db/pending/x.dmp: broken"]
        var uploader = try uploader(FakeTransport(.success(UploadResponse(status: 200))))
        let summary = try uploader.uploadPending()
        #expect(summary.description == "no report is pending, 1 unusable")
        #expect(summary.problems == queue.problems)
    }

    @Test("A long or binary answer becomes one short line")
    func words() {
        let body = [0xff, 0x00] + [UInt8](repeating: 0x61, count: 5_000)
        let response = UploadResponse(status: 500, body: body)
        #expect(response.words == "\u{fffd} " + String(repeating: "a", count: 298) + "…")
        #expect(UploadResponse(status: 500, body: Array(" \r\n ".utf8)).text.isEmpty)
    }
}
