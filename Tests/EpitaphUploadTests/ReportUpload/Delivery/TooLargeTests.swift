// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Reports and attachments that are too large")
struct TooLargeTests {
    private final class Chooser: UploadDelegate {
        let answer: Bool?
        let heard = Mutex<[String]>([])

        init(_ answer: Bool?) { self.answer = answer }

        func shouldLeaveOutAttachments(_ report: PendingReport, _ sizes: ReportSizes) -> Bool? {
            heard.withLock { $0.append("\(sizes)") }
            return answer
        }

        func didFail(_ report: PendingReport, _ failure: UploadFailure, next: NextTry) {
            heard.withLock { $0.append("\(next)") }
        }

        func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport) {
            heard.withLock { $0.append("\(problem)") }
        }
    }

    private func bench(
        _ sizes: [Int], _ answers: Result<UploadResponse, TransportError>...
    ) throws -> DeliveryBench {
        let bench = try DeliveryBench(.status(413, "at most 1 MB"))
        if !answers.isEmpty { bench.transport.answers = answers }
        bench.queue.attachments[bench.queue.reports[0].uuid] = sizes.enumerated().map {
            OutgoingAttachment(
                name: "\($0).log",
                content: .bytes(ByteSlice([UInt8](repeating: 0x61, count: $1))), type: .text)
        }
        return bench
    }

    private func body(_ request: UploadRequest) throws -> String {
        String(decoding: try #require(try gunzipped(try request.body.readAll())), as: UTF8.self)
    }

    @Test("A report that is too large says of what, waits, and offers to go without attachments")
    func offer() throws {
        let bench = try bench([100, 200])
        let failure = try bench.results()
        #expect(
            failure.first?.description
                == "not sent: the server answered 413 and said: at most 1 MB;"
                + " its minidump has 4 bytes, and 2 attachments have 300 bytes (1.log 200,"
                + " 0.log 100)")
        #expect(bench.state().isFinal && bench.state().attachments == .offered)
        #expect(bench.state().lastOutcome?.words.contains("minidump has 4 bytes") == true)
        #expect(try bench.results() == [.skipped(.choiceOpen)])
        #expect(bench.transport.requests.count == 1)
    }

    @Test("When somebody has chosen, it goes without them")
    func chosen() throws {
        let bench = try bench([100], .status(200))
        var state = DeliveryState()
        state.attachments = .leftOut
        bench.queue.states[bench.queue.reports[0].uuid] = state
        #expect(try bench.upload().sentCount == 1)
        #expect(try body(bench.transport.requests[0]).contains("0.log") == false)
    }

    @Test("The delegate may choose at once, and once only")
    func delegate() throws {
        let bench = try bench([100], .status(413), .status(200, "bp-2"))
        let chooser = Chooser(true)
        bench.callbacks.delegate = chooser
        #expect(try bench.results() == [.sent(serverID: "bp-2")])
        #expect(try body(bench.transport.requests[0]).contains("name=\"0.log\""))
        #expect(try body(bench.transport.requests[1]).contains("0.log") == false)
        #expect(chooser.heard.withLock { $0.last } == "soon(seconds: 0.0)")

        let stubborn = try self.bench([100])
        stubborn.callbacks.delegate = Chooser(true)
        #expect(try stubborn.upload().failedCount == 1)
        #expect(stubborn.transport.requests.count == 2 && stubborn.state().isFinal)
    }

    @Test("Without attachments there is nothing to offer")
    func nothingToOffer() throws {
        let bench = try bench([])
        let chooser = Chooser(true)
        bench.callbacks.delegate = chooser
        #expect(try bench.upload().failedCount == 1)
        #expect(bench.state().attachments == .sent && bench.state().isFinal)
        #expect(chooser.heard.withLock { $0 } == ["onRequest"])
    }

    @Test("An attachment over the limit stays behind, and the sentence names it and both sizes")
    func limit() throws {
        let bench = try bench([1_000, 1_001], .status(200))
        bench.rules.attachmentLimitBytes = 1_000
        let chooser = Chooser(nil)
        bench.callbacks.delegate = chooser
        #expect(try bench.upload().sentCount == 1)
        let sent = try body(bench.transport.requests[0])
        #expect(sent.contains("name=\"0.log\"; filename=\"0.log\"\r\nContent-Type: text/plain"))
        #expect(!sent.contains("1.log"))
        #expect(
            chooser.heard.withLock { $0 } == [
                "1.log is not attached: it has 1001 bytes, and an attachment may have 1000"
            ])
    }

    @Test("An attachment that cannot be read stays behind, and the report goes")
    func unreadable() throws {
        let bench = try bench([], .status(200))
        let path = bench.directory.path("gone.log")
        bench.queue.attachments[bench.queue.reports[0].uuid] = [
            OutgoingAttachment(name: "gone.log", content: .file(path: path))
        ]
        let chooser = Chooser(nil)
        bench.callbacks.delegate = chooser
        #expect(try bench.upload().sentCount == 1)
        #expect(chooser.heard.withLock { $0.first }?.contains(path) == true)
    }

    @Test(
        "Text is UTF-8 without control characters, and anything else is bytes",
        arguments: [
            (Array("plain\tténé\r\n\u{1b}[1m".utf8), true), ([], true), ([0x61, 0], false),
            ([0xff, 0xfe], false), ([0x61, 0xe2, 0x82], false),
            ([UInt8](repeating: 0x61, count: 4_094) + [0xe2, 0x82], true),
            ([UInt8](repeating: 0x61, count: 4_091) + [0xf0, 0x9f, 0x98, 0x80, 0x80], false),
        ] as [([UInt8], Bool)])
    func sniffing(bytes: [UInt8], isText: Bool) {
        #expect(MediaType(sniffing: bytes) == (isText ? .text : .bytes))
    }
}
