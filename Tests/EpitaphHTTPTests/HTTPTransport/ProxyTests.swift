// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import EpitaphHTTP

@Suite("Proxies")
struct ProxyTests {
    private func send(
        to collector: Collector, through proxy: ProxyServer, scheme: String = "http",
        caFile: String? = nil
    ) throws -> UploadResponse {
        var options = TransportOptions()
        options.proxy = .server(proxy)
        options.caFile = caFile
        return try CurlTransport(options).send(
            UploadRequest(to: collector.url("/token", scheme: scheme), body: body()))
    }

    @Test("Plain HTTP goes through an HTTP proxy with the whole URL, and the proxy's login with it")
    func plain() throws {
        let collector = try Collector("ok")
        let proxy = try Proxy(.http, login: "user:p@ss word")
        let response = try send(
            to: collector, through: proxy.url(login: "user:p%40ss%20word@"))
        #expect(response.text == "bp-1234")
        #expect(proxy.log == ["POST http://127.0.0.1:\(collector.port)/token"])
        #expect(collector.requests.first?.body == Array("report".utf8))
        #expect(collector.requests.first?.header("Proxy-Authorization") == nil)
    }

    @Test("TLS goes through a tunnel: the proxy learns host and port, and nothing else")
    func tunnel() throws {
        let certificate = try Certificate()
        let collector = try Collector("ok", certificate: certificate)
        let proxy = try Proxy(.http)
        let response = try send(
            to: collector, through: proxy.url(), scheme: "https",
            caFile: certificate.certificatePath)
        #expect(response.text == "bp-1234")
        #expect(proxy.log == ["CONNECT 127.0.0.1:\(collector.port)"])
    }

    @Test("An https proxy is reached by TLS, and its certificate is checked")
    func secureProxy() throws {
        let certificate = try Certificate()
        let collector = try Collector("ok", certificate: certificate)
        let proxy = try Proxy(.http, certificate: certificate)
        let response = try send(
            to: collector, through: proxy.url(), scheme: "https",
            caFile: certificate.certificatePath)
        #expect(response.text == "bp-1234")
        let error = #expect(throws: TransportError.self) {
            try send(to: Collector("ok"), through: proxy.url())
        }
        #expect(error?.kind == "tls", "\(String(describing: error))")
    }

    @Test(
        "A SOCKS proxy is used with and without a login; with socks5h it looks names up itself",
        arguments: ["", "user:secret"])
    func socks(login: String) throws {
        let collector = try Collector("ok")
        let proxy = try Proxy(.socks5, login: login)
        let prefix = login.isEmpty ? "" : login + "@"
        #expect(try send(to: collector, through: proxy.url(login: prefix)).text == "bp-1234")
        var options = TransportOptions()
        options.proxy = .server(try proxy.url(scheme: "socks5h", login: prefix))
        let request = UploadRequest(
            to: try UploadURL("http://localhost:\(collector.port)/"), body: body())
        #expect(try CurlTransport(options).send(request).text == "bp-1234")
        #expect(
            proxy.log == [
                "SOCKS5 address 127.0.0.1:\(collector.port)",
                "SOCKS5 name localhost:\(collector.port)",
            ])
    }

    @Test(
        "A proxy's own refusal is no answer of the server: it names the proxy, never its login",
        arguments: [
            (Proxy.Kind.http, "http", "asks for a user and password"),
            (.http, "https", "asks for a user and password"), (.broken, "https", "answered 503"),
            (.socks5, "http", "http://127.0.0.1"),
        ])
    func refusal(kind: Proxy.Kind, scheme: String, words: String) throws {
        let collector = try Collector("ok")
        let proxy = try Proxy(kind, login: kind == .broken ? "" : "user:right")
        let url = try proxy.url(login: "user:secret@")
        let error = #expect(throws: TransportError.self) {
            try send(to: collector, through: url, scheme: scheme)
        }
        #expect(error?.kind == "cannotConnect", "\(String(describing: error))")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains(url.address) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
        #expect(collector.requests.isEmpty)
    }

    @Test("A proxy that is not there is said to be at fault, with the kernel's reason")
    func nobody() throws {
        let collector = try Collector("ok")
        let error = #expect(throws: TransportError.self) {
            try send(to: collector, through: ProxyServer("http://user:secret@127.0.0.1:1"))
        }
        #expect(
            error
                == .cannotConnect(
                    server: "http://127.0.0.1:\(collector.port)",
                    reason: "the proxy http://127.0.0.1:1: Connection refused"))
    }

    @Test(
        "A proxy is written as a URL with its port",
        arguments: [
            ("http://proxy:3128", "http://proxy:3128"), ("HTTPS://Proxy:443/", "https://proxy:443"),
            ("socks5://u:p@proxy:1080", "socks5://proxy:1080"),
            ("socks5h://[::1]:1080", "socks5h://[::1]:1080"),
            ("http://proxy:80", "http://proxy:80"),
        ])
    func address(text: String, expected: String) throws {
        #expect(try ProxyServer(text).address == expected)
    }

    @Test(
        "What is no proxy is refused with a reason that does not repeat it",
        arguments: [
            "", "secret", "secret:3128", "ftp://secret:1", "http://u:secret@proxy",
            "http://u:secret@proxy:", "http://u:secret@[::1]", "http://u:secret@proxy:99999",
            "http://proxy:1/secret", "http://proxy:1?secret", "socks4://secret:1",
        ])
    func refused(text: String) throws {
        let error = #expect(throws: TransportError.self) { try ProxyServer(text) }
        #expect(error?.kind == "invalidURL", "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false, "\(String(describing: error))")
    }

    @Test("However a proxy is printed, its login does not show")
    func printing() throws {
        var options = TransportOptions()
        options.proxy = .server(try ProxyServer("http://user:secret@proxy:1"))
        var dumped = ""
        dump(options, to: &dumped)
        for text in ["\(options)", String(reflecting: options), dumped] {
            #expect(text.contains("http://proxy:1"))
            #expect(!text.contains("secret") && !text.contains("user"))
        }
    }
}
