// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import EpitaphHTTP

@Suite("Redirects")
struct RedirectTests {
    private func send(
        to collector: Collector, certificate: Certificate? = nil
    ) throws -> UploadResponse {
        let scheme = certificate == nil ? "http" : "https"
        let url = try UploadURL("\(scheme)://name:secret@127.0.0.1:\(collector.port)/?k=secret")
        return try directTransport(caFile: certificate?.certificatePath).send(
            UploadRequest(to: url, body: body()))
    }

    @Test("On the same server user and password go along, with the same body")
    func credentials() throws {
        let collector = try Collector("moved")
        #expect(try send(to: collector).text == "moved")
        let requests = collector.requests
        // name:secret in base64, RFC 7617.
        #expect(
            requests.map { $0.header("Authorization") }
                == Array(
                    repeating: "Basic bmFtZTpzZWNyZXQ=", count: 2))
        #expect(requests.map(\.body) == Array(repeating: Array("report".utf8), count: 2))
    }

    @Test("A user and password that the server itself names are not used")
    func foreignCredentials() throws {
        let collector = try Collector("moved-as-other")
        #expect(try send(to: collector).text == "moved")
        #expect(collector.requests.last?.header("Authorization") == "Basic bmFtZTpzZWNyZXQ=")
    }

    @Test(
        "What would lose the report, or hand it to somebody else, is refused after one request",
        arguments: [
            "moved-for-good", "found", "see-other", "elsewhere", "other-port", "other-scheme",
            "bad-location", "upgrade",
        ] as [Collector.Answer])
    func refused(answer: Collector.Answer) throws {
        let collector = try Collector(answer)
        let error = #expect(throws: TransportError.self) { try send(to: collector) }
        #expect(error?.kind == "redirectRefused", "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false, "\(String(describing: error))")
        #expect(collector.requests.count == 1)
    }

    @Test("From https to http is refused, even on the same host and port")
    func downgrade() throws {
        let certificate = try Certificate()
        let collector = try Collector("downgrade", certificate: certificate)
        let error = #expect(throws: TransportError.self) {
            try send(to: collector, certificate: certificate)
        }
        #expect(
            error
                == .redirectRefused(
                    server: "https://127.0.0.1:\(collector.port)",
                    target: "http://127.0.0.1:\(collector.port)"))
        #expect(collector.requests.count == 1)
    }

    @Test("A circle ends after a few, over TLS too")
    func circle() throws {
        let certificate = try Certificate()
        let collector = try Collector("circle", certificate: certificate)
        let error = #expect(throws: TransportError.self) {
            try send(to: collector, certificate: certificate)
        }
        #expect(error?.kind == "redirectRefused", "\(String(describing: error))")
        #expect(collector.requests.count == TransportOptions().redirectLimit + 1)
    }
}
