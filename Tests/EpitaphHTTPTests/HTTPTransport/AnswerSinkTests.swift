// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphHTTP

@Suite("What a client gets")
struct AnswerSinkTests {
    private let server: TestServer
    private let transport: CurlTransport

    init() throws {
        server = try TestServer("web.py")
        transport = try directTransport()
    }

    private func url(_ path: String) throws -> UploadURL {
        try UploadURL("http://127.0.0.1:\(server.port)\(path)")
    }

    private var received: [String] {
        server.text("requests").split(separator: "\n").map(String.init)
    }

    @Test("A GET has no body, and its answer's headers are found whatever the case of their names")
    func get() throws {
        let response = try transport.send(UploadRequest(.get, from: url("/bytes/5")))
        #expect(response.text == "xxxxx")
        #expect(response.headers["content-LENGTH"] == "5")
        #expect(response.headers["X-Kind"] == "test")
        #expect(response.headers["X-None"] == nil)
        #expect(received == ["GET /bytes/5 0 -"])
    }

    @Test("A HEAD is answered by headers alone, and the connection is good for more")
    func head() throws {
        let response = try transport.send(UploadRequest(.head, from: url("/bytes/70000")))
        #expect(response.status == 200)
        #expect(response.headers["Content-Length"] == "70000")
        #expect(response.body.isEmpty)
        let next = try transport.send(UploadRequest(.get, from: url("/bytes/3")))
        #expect(next.text == "xxx")
        #expect(received.count == 2)
    }

    @Test("A large body goes into a file, in place of what the file held")
    func file() throws {
        let scratch = try ScratchFile()
        try scratch.descriptor.writeAll([UInt8](repeating: 1, count: 2_000_000), at: 0)
        let sink = AnswerFile(scratch.descriptor, limitBytes: 1_000_000)
        let request = UploadRequest(.get, from: try url("/bytes/1000000"), into: sink)
        let response = try transport.send(request)
        #expect(response.isSuccess && response.body.isEmpty && !response.isBodyCut)
        #expect(sink.byteCount == 1_000_000)
        #expect(
            try scratch.descriptor.readBytes(count: 3_000_000, at: 0)
                == Array(repeating: UInt8(ascii: "x"), count: 1_000_000))
        // The same request once more.
        _ = try transport.send(request)
        #expect(sink.byteCount == 1_000_000)
    }

    @Test("A body of more bytes than are to be taken is an error, and the next request is not")
    func limit() throws {
        let sink = AnswerBytes(limitBytes: 99_999)
        #expect(
            throws: TransportError.answerTooLarge(
                server: "http://127.0.0.1:\(server.port)", limitBytes: 99_999)
        ) { try transport.send(UploadRequest(.get, from: url("/bytes/100000"), into: sink)) }
        #expect(sink.bytes.isEmpty)
        let fitting = AnswerBytes(limitBytes: 100_000)
        _ = try transport.send(UploadRequest(.get, from: url("/bytes/100000"), into: fitting))
        #expect(fitting.bytes.count == 100_000)
    }

    @Test(
        "A flood without a length is broken off at the limit",
        arguments: ["chunk-flood", "body-flood"] as [Collector.Answer])
    func flood(answer: Collector.Answer) throws {
        let collector = try Collector(answer)
        let sink = AnswerBytes(limitBytes: 1_000_000)
        let error = #expect(throws: TransportError.self) {
            try transport.send(UploadRequest(.get, from: collector.url(), into: sink))
        }
        #expect(error?.kind == "answerTooLarge", "\(String(describing: error))")
        #expect(sink.bytes.count <= 1_000_000)
    }

    @Test("A refusal's words are in the answer and not in the file")
    func refusal() throws {
        let sink = AnswerBytes(limitBytes: 1_000_000)
        let response = try transport.send(
            UploadRequest(.get, from: url("/status/404"), into: sink))
        #expect(response.status == 404)
        #expect(response.text == "so be it")
        #expect(sink.bytes.isEmpty)
    }

    @Test("A body that is cut off is an error, whatever was received of it")
    func cut() throws {
        let collector = try Collector("close-early")
        let sink = AnswerBytes(limitBytes: 1_000_000)
        let error = #expect(throws: TransportError.self) {
            try transport.send(UploadRequest(.get, from: collector.url(), into: sink))
        }
        #expect(error?.kind == "interrupted", "\(String(describing: error))")
    }

    @Test("A body that cannot be stored is an error of this machine, which says why")
    func noRoom() throws {
        // full(4)
        let file = try FileDescriptor.open("/dev/full", flags: O_WRONLY, mode: 0)
        let sink = FullSink(file)
        let error = #expect(throws: TransportError.self) {
            try transport.send(UploadRequest(.get, from: url("/bytes/10"), into: sink))
        }
        #expect(error?.kind == "answerNotKept", "\(String(describing: error))")
        #expect(error?.description.contains("No space left") == true)
    }

    @Test("A request that follows no redirects gets the redirect as its answer")
    func redirect() throws {
        let collector = try Collector("elsewhere")
        var request = UploadRequest(.get, from: try collector.url())
        request.redirects = .none
        let response = try transport.send(request)
        #expect(response.status == 307)
        #expect(response.headers["Location"]?.contains("localhost") == true)
        #expect(collector.requests.count == 1)
    }

    @Test("Secrets that a server repeats in its headers are hidden")
    func secrets() throws {
        let collector = try Collector("elsewhere")
        var request = UploadRequest(.get, from: try collector.url())
        request.redirects = .none
        request.secrets = Secrets(["secret"])
        let response = try transport.send(request)
        #expect(response.headers["Location"]?.contains("[hidden]") == true)
        #expect(response.headers["Location"]?.contains("secret") == false)
    }

    @Test("Of more headers than anybody needs the first are kept")
    func manyHeaders() throws {
        var headers = AnswerHeaders()
        for number in 0..<1000 { headers.add("X-\(number)", "v") }
        #expect(headers["x-99"] == "v")
        #expect(headers["x-100"] == nil)
        headers = AnswerHeaders([("A", "1"), ("B", String(repeating: "b", count: 40_000))])
        headers.add("a", "2")
        #expect(headers["A"] == "1, 2")
        #expect(headers["B"] == nil)
    }
}

/// A disk without room; truncating the device is not possible.
private final class FullSink: AnswerSink {
    let limitBytes = 100
    private let file: AnswerFile

    init(_ descriptor: FileDescriptor) {
        file = AnswerFile(descriptor, limitBytes: 100)
    }

    func restart() {}

    func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) { try file.take(bytes) }
}
