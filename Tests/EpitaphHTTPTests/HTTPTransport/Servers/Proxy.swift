// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import Foundation

/// A running Tests/Fixtures/python/proxy.py; killed when the value goes.
final class Proxy {
    enum Kind: String {
        case http, socks5, broken
    }

    private let server: TestServer
    private let isSecure: Bool
    private let kind: Kind

    /// - Parameters:
    ///   - login: `user:password`; empty for a proxy that serves everybody.
    ///   - certificate: with it the proxy itself speaks TLS.
    init(_ kind: Kind, login: String = "", certificate: Certificate? = nil) throws {
        self.kind = kind
        isSecure = certificate != nil
        server = try TestServer(
            "proxy.py",
            [kind.rawValue, login] + (certificate.map { [$0.certificatePath, $0.keyPath] } ?? []))
    }

    /// - Parameter login: percent-encoded, with its @.
    func url(scheme: String? = nil, login: String = "") throws -> ProxyServer {
        let own = kind == .socks5 ? "socks5" : isSecure ? "https" : "http"
        return try ProxyServer("\(scheme ?? own)://\(login)127.0.0.1:\(server.port)")
    }

    /// What it was asked, a line each.
    var log: [String] {
        server.text("log").split(separator: "\n").map(String.init)
    }
}
