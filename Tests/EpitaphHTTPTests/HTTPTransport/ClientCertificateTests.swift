// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import EpitaphHTTP

@Suite("Client certificates")
struct ClientCertificateTests {
    private let server: Certificate
    private let client: Certificate

    init() throws {
        server = try Certificate()
        client = try Certificate()
    }

    /// Sends to a collector that asks for the certificate of `client`.
    private func send(
        showing certificate: ClientCertificate?
    ) throws -> Result<UploadResponse, TransportError> {
        let collector = try Collector(
            "ok", certificate: server, clientAuthority: client.certificatePath)
        var options = TransportOptions()
        options.proxy = .none
        options.caFile = server.certificatePath
        options.clientCertificate = certificate
        let transport = try CurlTransport(options)
        let request = UploadRequest(to: try collector.url(scheme: "https"), body: body())
        return Result { () throws(TransportError) in try transport.send(request) }
    }

    private func failure(showing certificate: ClientCertificate?) throws -> String {
        let result = try send(showing: certificate)
        guard case .failure(.tls(_, let reason)) = result else {
            Issue.record("\(result)")
            return ""
        }
        return reason
    }

    @Test("A server that asks for a certificate gets it")
    func shown() throws {
        let certificate = ClientCertificate(
            certificateFile: client.certificatePath, keyFile: client.keyPath)
        #expect(try send(showing: certificate).get().text == "bp-1234")
    }

    @Test("Without one, or with one the server does not know, the error says so")
    func refused() throws {
        #expect(
            try failure(showing: nil).hasPrefix("the server asks for a client certificate"))
        let stranger = try Certificate()
        let certificate = ClientCertificate(
            certificateFile: stranger.certificatePath, keyFile: stranger.keyPath)
        #expect(
            try failure(showing: certificate).hasPrefix(
                "the server does not accept the client certificate"))
    }

    @Test("A file that is missing, empty, or of another kind is named")
    func badFiles() throws {
        let directory = try TemporaryDirectory()
        let bad = [
            directory.path, directory.path("missing.pem"), try directory.write([], to: "empty.pem"),
            try directory.write(Array("no PEM".utf8), to: "text.pem"),
        ]
        for path in bad {
            let first = ClientCertificate(certificateFile: path, keyFile: client.keyPath)
            #expect(try failure(showing: first).contains(path))
            let second = ClientCertificate(certificateFile: client.certificatePath, keyFile: path)
            #expect(try failure(showing: second).contains(path))
        }
    }

    /// OpenSSL would ask the terminal.
    @Test("A key with a passphrase, or of another certificate, is an error that names it")
    func unusableKeys() throws {
        for key in [try client.lockedKey(), server.keyPath] {
            let certificate = ClientCertificate(
                certificateFile: client.certificatePath, keyFile: key)
            let reason = try failure(showing: certificate)
            #expect(reason.contains("cannot be used"))
            #expect(reason.contains(client.certificatePath) && reason.contains(key), "\(reason)")
        }
    }
}
