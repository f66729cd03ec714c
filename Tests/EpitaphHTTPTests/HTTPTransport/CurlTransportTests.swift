// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP

@Suite("What a server gets")
struct CurlTransportTests {
    @Test("A post has its length, no chunks, no Expect, our name, and the body's bytes")
    func post() throws {
        let collector = try Collector("ok")
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let response = try directTransport().send(
            UploadRequest(
                to: collector.url("/submit?key=v"), headers: [.contentType(.bytes)],
                body: body(bytes)))
        #expect(response.status == 200 && response.text == "bp-1234" && !response.isBodyCut)
        let request = try #require(collector.requests.first)
        #expect(request.lines.first == "POST /submit?key=v HTTP/1.1")
        let names = request.lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(
            names.sorted() == ["accept", "content-length", "content-type", "host", "user-agent"])
        #expect(request.header("Content-Length") == "100000")
        #expect(request.header("Content-Type") == "application/octet-stream")
        let agent = try #require(request.header("User-Agent"))
        #expect(agent.wholeMatch(of: /Epitaph\/[0-9.]+ libcurl\/[0-9.]+/) != nil, "\(agent)")
        #expect(request.body == bytes)
    }

    @Test(
        "A put has its length and the body's bytes, an empty body has length 0",
        arguments: [[], Array("report".utf8)] as [[UInt8]])
    func put(bytes: [UInt8]) throws {
        let collector = try Collector("accepted")
        let response = try directTransport().send(
            UploadRequest(.put, to: collector.url(), body: body(bytes)))
        #expect(response.status == 202 && response.body.isEmpty)
        let request = try #require(collector.requests.first)
        #expect(request.lines.first == "PUT /submit HTTP/1.1")
        #expect(request.header("Content-Length") == String(bytes.count))
        #expect(request.header("Transfer-Encoding") == nil)
        #expect(request.body == bytes)
    }

    /// The larger one does not fit what a compressed body keeps, and is compressed while it is
    /// being sent.
    @Test(
        "A report arrives as gzip with a Content-Length and decodes to the form it was made from",
        arguments: [260, 1_200_000])
    func report(size: Int) throws {
        let collector = try Collector("ok")
        let directory = try TemporaryDirectory()
        // The upper bytes of a linear congruential sequence: nothing that gzip could shorten.
        var state: UInt32 = 1
        let dump = (0..<size).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        var random = SystemRandomNumberGenerator()
        let destination = UploadDestination(try collector.url())
        let request = try destination.request(
            form: ReportForm(clientID: Epitaph.ID()),
            minidump: BodyFile(opening: directory.write(dump, to: "a.dmp")),
            uuid: Epitaph.ID(), random: &random)
        #expect(size < 1 << 20 || request.body.contentLength > 1 << 20)
        let sentByUs = try directTransport().send(request)
        #expect(sentByUs.text == "bp-1234")

        let received = try #require(collector.requests.first)
        #expect(received.header("Content-Encoding") == "gzip")
        #expect(received.header("Transfer-Encoding") == nil)
        #expect(received.header("Content-Length") == String(received.body.count))
        let type = try #require(received.header("Content-Type"))
        let script = """
            import gzip, sys, email.parser, email.policy
            head = b'Content-Type: ' + sys.argv[1].encode() + b'\\r\\n\\r\\n'
            message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
                head + gzip.decompress(open(sys.argv[2], 'rb').read()))
            for part in message.iter_parts():
                name = part['content-disposition'].params['name']
                print(name, len(part.get_payload(decode=True)))
                if name == 'upload_file_minidump':
                    open(sys.argv[3], 'wb').write(part.get_payload(decode=True))
            """
        let run = try Subprocess.run([
            "python3", "-c", script, type, try directory.write(received.body, to: "body"),
            directory.path("dump"),
        ])
        #expect(
            run.standardOutput == "guid 36\nupload_file_minidump \(size)\n", "\(run.standardError)")
        #expect(
            FileManager.default.contents(atPath: directory.path("dump")).map(Array.init) == dump)
    }

    @Test("Several requests go over one connection")
    func reuse() throws {
        let collector = try Collector("ok")
        let transport = try directTransport()
        for _ in 0..<3 {
            #expect(
                try transport.send(UploadRequest(to: collector.url(), body: body())).isSuccess)
        }
        #expect(collector.requests.map(\.connection) == [0, 0, 0])
    }

    @Test("A connection the server closed after its answer is replaced, and the body sent whole")
    func staleConnection() throws {
        let collector = try Collector("once-each")
        let transport = try directTransport()
        for _ in 0..<3 {
            let response = try transport.send(UploadRequest(to: collector.url(), body: body()))
            #expect(response.text == "once")
        }
        #expect(collector.requests.map(\.connection) == [0, 1, 2])
        #expect(collector.requests.allSatisfy { $0.body == Array("report".utf8) })
    }

    @Test(
        "A request in whose middle the server closes an old connection is repeated on a new one",
        arguments: [false, true])
    func closedMeanwhile(isSecure: Bool) throws {
        let certificate = isSecure ? try Certificate() : nil
        let collector = try Collector("hang-up-later", certificate: certificate)
        let transport = try directTransport(caFile: certificate?.certificatePath)
        let url = try collector.url(scheme: isSecure ? "https" : "http")
        let large = [UInt8](repeating: 7, count: 4 << 20)
        for sent in [body(), body(large)] {
            #expect(try transport.send(UploadRequest(to: url, body: sent)).text == "bp-1234")
        }
        #expect(collector.requests.map(\.connection) == [0, 1])
        #expect(collector.requests.last?.body == large)
    }

    /// Memory stays flat by construction: the transport has no other way to the bytes than this
    /// source's buffers.
    @Test("A body of 64 MiB is asked for in small pieces and arrives whole")
    func largeBody() throws {
        let collector = try Collector("ok")
        let source = CountingSource(contentLength: 64 << 20)
        let response = try directTransport().send(
            UploadRequest(to: collector.url(), headers: [.contentType(.bytes)], body: source))
        #expect(response.isSuccess)
        #expect(source.largestBuffer <= 1 << 20)
        let request = try #require(collector.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self) == "\(64 << 20) 0")
        // Large enough for libcurl to ask for permission first, if it were left to.
        #expect(request.header("Expect") == nil)
    }

    @Test("A body that ends before its length is an error of the body, not of the network")
    func shortBody() throws {
        let collector = try Collector("ok")
        let source = CountingSource(contentLength: 1000)
        source.available = 10
        let transport = try directTransport()
        #expect(throws: TransportError.bodyUnreadable(reason: "it is shorter than its length")) {
            try transport.send(UploadRequest(to: collector.url(), body: source))
        }
        #expect(try transport.send(UploadRequest(to: collector.url(), body: body())).isSuccess)
    }
}

/// Zeros that exist nowhere.
private final class CountingSource: BodySource {
    let contentLength: Int
    var available: Int
    private(set) var largestBuffer = 0

    init(contentLength: Int) {
        self.contentLength = contentLength
        available = contentLength
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        largestBuffer = max(largestBuffer, buffer.count)
        let count = min(buffer.count, available)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(
            as: UInt8.self, repeating: 0)
        available -= count
        return count
    }

    func rewind() {}
}
