// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import EpitaphHTTP

@Suite("Secure connections")
struct TLSTests {
    private func post(
        to collector: Collector, caFile: String?, scheme: String = "https"
    ) throws -> UploadResponse {
        try directTransport(caFile: caFile).send(
            UploadRequest(to: collector.url(scheme: scheme), body: body()))
    }

    @Test("A certificate nobody vouches for is refused, and accepted with its CA file")
    func caFile() throws {
        let certificate = try Certificate()
        let collector = try Collector("ok", certificate: certificate)
        let error = #expect(throws: TransportError.self) {
            try post(to: collector, caFile: nil)
        }
        #expect(error?.kind == "tls", "\(String(describing: error))")
        #expect(error?.description.contains("certificate") == true)
        #expect(collector.requests.isEmpty)
        #expect(try post(to: collector, caFile: certificate.certificatePath).text == "bp-1234")
        #expect(collector.requests.count == 1)
    }

    @Test("A request's own CA file counts where the transport names none")
    func ownCAFile() throws {
        let certificate = try Certificate()
        let collector = try Collector("ok", certificate: certificate)
        var request = try UploadRequest(to: collector.url(scheme: "https"), body: body())
        request.caFile = certificate.certificatePath
        #expect(try directTransport().send(request).text == "bp-1234")
        let other = try Certificate().certificatePath
        #expect(throws: TransportError.self) { try directTransport(caFile: other).send(request) }
        request.caFile = other
        #expect(throws: TransportError.self) { try directTransport().send(request) }
        #expect(collector.requests.count == 1)
    }

    @Test("A trusted certificate for another address is refused")
    func otherAddress() throws {
        let certificate = try Certificate(address: "127.0.0.2")
        let collector = try Collector("ok", certificate: certificate)
        let error = #expect(throws: TransportError.self) {
            try post(to: collector, caFile: certificate.certificatePath)
        }
        #expect(error?.kind == "tls", "\(String(describing: error))")
        #expect(collector.requests.isEmpty)
    }

    @Test("A CA file that is missing or holds no certificate is said to be at fault")
    func badCAFile() throws {
        let directory = try TemporaryDirectory()
        let collector = try Collector("ok", certificate: Certificate())
        let files = [directory.path("missing.pem"), try directory.write([1, 2], to: "bad.pem")]
        for file in files {
            let error = #expect(throws: TransportError.self) {
                try post(to: collector, caFile: file)
            }
            #expect(error?.kind == "tls", "\(String(describing: error))")
            #expect(error?.description.contains(file) == true, "\(String(describing: error))")
        }
    }

    @Test("A trusted certificate that has expired is refused, and said to have expired")
    func expired() throws {
        let certificate = try Certificate(valid: .past)
        let collector = try Collector("ok", certificate: certificate)
        let error = #expect(throws: TransportError.self) {
            try post(to: collector, caFile: certificate.certificatePath)
        }
        #expect(error?.kind == "tls", "\(String(describing: error))")
        #expect(error?.description.contains("expired") == true, "\(String(describing: error))")
        #expect(collector.requests.isEmpty)
    }

    @Test("A handshake that never comes is given up at the connection's own limit")
    func silentHandshake() throws {
        var limits = AnswerTests.patience
        limits.connect = .seconds(1)
        let collector = try Collector("silent")
        let error = #expect(throws: TransportError.self) {
            try directTransport().send(
                UploadRequest(
                    to: collector.url(scheme: "https"), body: body(), timeLimits: limits))
        }
        #expect(
            error
                == .cannotConnect(
                    server: "https://127.0.0.1:\(collector.port)",
                    reason: "no connection within 1 s"))
    }

    @Test(
        "https to a server that speaks something else, or hangs up, is no secure connection",
        arguments: ["mail-server", "close-at-once"] as [Collector.Answer])
    func otherProtocol(answer: Collector.Answer) throws {
        let error = #expect(throws: TransportError.self) {
            try post(to: Collector(answer), caFile: nil)
        }
        #expect(error?.kind == "tls", "\(String(describing: error))")
    }

    @Test("Bytes that are no TLS, in the middle of it, are never taken for an answer")
    func noiseBelow() throws {
        try Encounter(answer: "noise-below", isSecure: true).expect("interrupted")
    }

    @Test("A connection the server closed after its answer is replaced, over TLS too")
    func staleConnection() throws {
        let certificate = try Certificate()
        let collector = try Collector("once-each", certificate: certificate)
        let transport = try directTransport(caFile: certificate.certificatePath)
        for _ in 0..<3 {
            let response = try transport.send(
                UploadRequest(to: collector.url(scheme: "https"), body: body()))
            #expect(response.text == "once")
        }
        #expect(collector.requests.map(\.connection) == [0, 1, 2])
        #expect(collector.requests.allSatisfy { $0.body == Array("report".utf8) })
    }

    /// SIGPIPE would end the process: libcurl is set to leave signals alone, so it must not cause
    /// any.
    @Test("A server that hangs up in the middle of a report costs an error, not the process")
    func hangUp() throws {
        let certificate = try Certificate()
        for answer in ["early-success" as Collector.Answer, "reset-in-request"] {
            let collector = try Collector(answer, certificate: certificate)
            let transport = try directTransport(caFile: certificate.certificatePath)
            let error = #expect(throws: TransportError.self) {
                try transport.send(
                    UploadRequest(
                        to: collector.url(scheme: "https"),
                        body: body([UInt8](repeating: 1, count: 32 << 20))))
            }
            #expect(error?.kind == "interrupted", "\(String(describing: error))")
        }
    }
}
