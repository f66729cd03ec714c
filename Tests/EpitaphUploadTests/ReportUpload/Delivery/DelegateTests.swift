// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("A delegate's say")
struct DelegateTests {
    private final class Recorder: UploadDelegate {
        struct Rules: Sendable {
            var processes = true
            var report = SendVerdict.send
            var request = SendVerdict.send
            var edit: @Sendable (inout OutgoingReport) -> Void = { _ in }
            var change: @Sendable (inout UploadRequest) -> Void = { _ in }
        }

        let rules: Rules
        let log = Mutex<[String]>([])

        init(_ rules: Rules = Rules()) { self.rules = rules }

        private func note(_ line: String) { log.withLock { $0.append(line) } }

        func shouldProcess(_ report: PendingReport) -> Bool {
            note("process")
            return rules.processes
        }

        func willSend(_ report: inout OutgoingReport) -> SendVerdict {
            note("report")
            rules.edit(&report)
            return rules.report
        }

        func willSend(_ request: inout UploadRequest, for report: PendingReport) -> SendVerdict {
            note("request")
            rules.change(&request)
            return rules.request
        }

        func didSucceed(_ report: PendingReport, serverID: String) { note("sent \(serverID)") }

        func didFail(_ report: PendingReport, _ failure: UploadFailure, next: NextTry) {
            note("failed \(next)")
        }

        func didGiveUp(_ report: PendingReport, _ failure: UploadFailure) { note("given up") }
    }

    private func run(
        _ rules: Recorder.Rules, _ answers: [Result<UploadResponse, TransportError>]
    ) throws -> (DeliveryBench, [UploadResult], [String]) {
        let bench = try DeliveryBench(.status(200))
        bench.transport.answers = answers
        let recorder = Recorder(rules)
        bench.callbacks.delegate = recorder
        let results = try bench.results()
        return (bench, results, recorder.log.withLock { $0 })
    }

    @Test("It is asked before each try and told after it, in this order")
    func order() throws {
        let (_, results, log) = try run(.init(), [.status(500), .status(200, "bp-1")])
        #expect(results == [.sent(serverID: "bp-1")])
        #expect(
            log == [
                "process", "report", "request", "failed soon(seconds: 5.0)", "report", "request",
                "sent bp-1",
            ])
    }

    @Test(
        "It hears whether and when a report is tried again",
        arguments: [
            (500, ["soon(seconds: 5.0)", "soon(seconds: 10.0)", "soon(seconds: 20.0)", "later"]),
            (404, ["later"]), (400, ["onRequest"]), (413, ["onRequest"]),
        ])
    func nextTry(status: Int, expected: [String]) throws {
        let (_, _, log) = try run(.init(), [.status(status)])
        #expect(log.filter { $0.hasPrefix("failed") } == expected.map { "failed " + $0 })
        // Once, and only at the end.
        #expect(log.count { $0 == "given up" } == (expected.last == "onRequest" ? 1 : 0))
    }

    @Test("What it does not want is removed, unless a person asked for it")
    func unwanted() throws {
        let (bench, results, log) = try run(.init(processes: false), [.status(200)])
        #expect(results == [.skipped(.declined)] && log == ["process"])
        #expect(bench.queue.log == ["record dontSend"] && bench.queue.reports.isEmpty)

        let requested = try DeliveryBench(.status(200))
        requested.queue.reports[0].isExplicitlyRequested = true
        requested.callbacks.delegate = Recorder(.init(processes: false))
        #expect(try requested.results() == [.skipped(.kept)])
        #expect(requested.queue.reports.count == 1)
    }

    @Test("What it keeps is not sent, and no attempt counts")
    func vetoes() throws {
        var (bench, results, log) = try run(.init(report: .keep), [.status(200)])
        #expect(results == [.skipped(.kept)] && log == ["process", "report"])
        #expect(bench.queue.log == ["begin", "withdraw"] && bench.transport.requests.isEmpty)
        (bench, results, log) = try run(.init(request: .keep), [.status(200)])
        #expect(results == [.skipped(.kept)] && log == ["process", "report", "request"])
        #expect(bench.queue.log == ["begin", "withdraw"] && bench.transport.requests.isEmpty)
    }

    @Test("What it changes goes out: annotations, attachments, headers, the URL's query")
    func edits() throws {
        var rules = Recorder.Rules()
        rules.edit = {
            $0.annotations["prod"] = "other"
            $0.annotations["site"] = "lab"
            $0.attachments.append(
                OutgoingAttachment(name: "note.txt", content: .bytes(ByteSlice(Array("hi".utf8)))))
        }
        rules.change = {
            $0.headers.append(HTTPHeader("X-Team", "blue")!)
            $0.url = $0.url.adding([("tag", "1")])
        }
        let (bench, results, _) = try run(rules, [.status(200)])
        #expect(results == [.sent(serverID: "")])
        let request = try #require(bench.transport.requests.first)
        #expect(request.url.text.contains("product=other") && request.url.text.hasSuffix("&tag=1"))
        #expect(request.headers.contains(HTTPHeader("X-Team", "blue")!))
        let body = String(
            decoding: try #require(try gunzipped(try request.body.readAll())), as: UTF8.self)
        #expect(body.contains("name=\"site\"\r\n\r\nlab\r\n"))
        #expect(body.contains("filename=\"note.txt\"") && body.contains("\r\n\r\nhi\r\n"))
    }

    @Test("It cannot send a report to another server")
    func elsewhere() throws {
        var rules = Recorder.Rules()
        rules.change = { $0.url = try! UploadURL("http://elsewhere/") }
        let (bench, results, _) = try run(rules, [.status(200)])
        #expect(bench.transport.requests.isEmpty)
        #expect(results.first?.description.contains("another server than http://host") == true)
    }

    @Test("The transform comes after it, and what it refuses is not sent")
    func transform() throws {
        let bench = try DeliveryBench(.status(200))
        var rules = Recorder.Rules()
        rules.edit = { $0.annotations["secret"] = "s3cret" }
        bench.callbacks.delegate = Recorder(rules)
        bench.callbacks.transform = { $0.annotations["secret"] = nil }
        #expect(try bench.upload().sentCount == 1)
        let request = try #require(bench.transport.requests.first)
        let body = String(
            decoding: try #require(try gunzipped(try request.body.readAll())), as: UTF8.self)
        #expect(!body.contains("s3cret") && body.contains("daemon"))

        let refusing = try DeliveryBench(.status(200))
        refusing.rules.limits.retryBehaviour = .none
        refusing.callbacks.transform = { _ throws(TransportError) in
            throw .bodyUnreadable(reason: "it cannot be scrubbed")
        }
        #expect(try refusing.upload().failedCount == 1)
        #expect(refusing.transport.requests.isEmpty)
    }

    @Test("A delegate that says nothing changes nothing")
    func defaults() throws {
        struct Silent: UploadDelegate {}
        let bench = try DeliveryBench(reports: 2, .status(400), .status(200))
        bench.callbacks.delegate = Silent()
        #expect(try bench.upload().description == "1 sent, 1 failed, 0 left pending")
    }
}
