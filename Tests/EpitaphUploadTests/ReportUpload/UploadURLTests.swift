// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Upload URLs")
struct UploadURLTests {
    @Test(
        "The server's name is scheme, host and port, and nothing that could be a secret",
        arguments: [
            ("http://crash.example.org/submit", "http://crash.example.org"),
            ("HTTPS://Crash.Example.ORG", "https://crash.example.org"),
            ("https://u:pass@host:8443/tok/en?key=1#frag", "https://host:8443"),
            ("http://host:80/", "http://host"), ("https://host:443", "https://host"),
            ("https://host:80", "https://host:80"), ("http://host:?a", "http://host"),
            ("http://[::1]:8080/x", "http://[::1]:8080"),
            ("http://host?x=http://a@b", "http://host"),
            ("http://127.0.0.1:1/a@b:c", "http://127.0.0.1:1"),
        ])
    func server(text: String, expected: String) throws {
        #expect(try UploadURL(text).server == expected)
    }

    @Test(
        "What is no http URL is refused with a reason that does not repeat it",
        arguments: [
            "", "host/path", "ftp://host/secret", "file:///secret", "http://", "http:///secret",
            "http:secret", "https://user:secret@", "https://a@b:secret@host/",
            "http://host:0/secret",
            "http://host:65536/secret", "http://host:80secret/", "http://ho st/secret",
            "http://host/secret\r\nX: y", "http://hóst/secret", "http://[::1/secret",
            "http://[]/secret",
            "http://[::g]/secret", "http://ho%73t/secret", "http://host\\@secret/",
            "http://:80/secret",
        ])
    func refused(text: String) throws {
        let error = #expect(throws: TransportError.self) { try UploadURL(text) }
        guard case .invalidURL = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "Parameters go to the end of the query, which is begun if there is none",
        arguments: [
            ("http://h", "http://h?a=1&b%26=%C3%A4%20%2B"),
            ("http://h/p#part", "http://h/p?a=1&b%26=%C3%A4%20%2B"),
            ("http://h/p?", "http://h/p?a=1&b%26=%C3%A4%20%2B"),
            ("http://h/p?k=v", "http://h/p?k=v&a=1&b%26=%C3%A4%20%2B"),
            ("http://h/p?k=v&", "http://h/p?k=v&a=1&b%26=%C3%A4%20%2B"),
        ])
    func parameters(text: String, expected: String) throws {
        #expect(try UploadURL(text).adding([("a", "1"), ("b&", "ä +")]).text == expected)
    }

    @Test(
        "In a query only unreserved characters stay as they are",
        arguments: [
            ("AZaz09-._~", "AZaz09-._~"), (" ", "%20"), ("+&=?#/:", "%2B%26%3D%3F%23%2F%3A"),
            ("%41", "%2541"), ("\0\r\n\u{7f}", "%00%0D%0A%7F"), ("€", "%E2%82%AC"), ("", ""),
        ])
    func encoding(text: String, expected: String) {
        #expect(percentEncodedForQuery(text) == expected)
    }

    @Test("However a URL is printed, its secrets do not show")
    func printing() throws {
        let url = try UploadURL("https://user:secret@host/secret?key=secret")
        var dumped = ""
        dump(url, to: &dumped)
        for text in ["\(url)", String(reflecting: url), "\(UploadDestination(url))", dumped] {
            #expect(text.contains("https://host"))
            #expect(!text.contains("secret"))
        }
    }
}
