// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Secrets")
struct SecretsTests {
    @Test(
        "Every occurrence is hidden, the longest first, and words too short to be secret stay",
        arguments: [
            ("token1234 and token1234", "[hidden] and [hidden]"),
            ("token1234567", "[hidden]"), ("token12345", "[hidden]5"), ("abc", "abc"),
            ("", ""), ("token123", "token123"),
        ])
    func hiding(text: String, expected: String) {
        let secrets = Secrets(["token1234", "token1234567", "abc", ""])
        #expect(secrets.hidden(in: text) == expected)
        #expect(secrets.hidden(in: Array(text.utf8)) == Array(expected.utf8))
    }

    @Test(
        "A URL's secrets are its login, the values of its query and long parts of its path",
        arguments: [
            ("https://host/submit/short", []),
            ("https://user@host/", ["user", "dXNlcjo="]),
            ("https://us%40er:p%20w@host/", ["us%40er", "us@er", "p%20w", "p w", "dXNAZXI6cCB3"]),
            ("https://host/a?k=v&lonely&x=", ["v", "lonely"]),
            ("https://host?k=%2F", ["%2F", "/"]),
            ("https://host/u/0123456789abcdef/minidump", ["0123456789abcdef"]),
        ])
    func urls(text: String, expected: [String]) throws {
        #expect(Set(try UploadURL(text).secrets) == Set(expected))
    }

    @Test("What surrounds bytes that are no UTF-8 is kept as it is")
    func bytes() {
        #expect(
            Secrets(["secret"]).hidden(in: [0xff] + Array("secret".utf8) + [0x80])
                == [0xff] + Array("[hidden]".utf8) + [0x80])
    }

    @Test(
        "A percent sign is decoded with two digits after it and stays without",
        arguments: [
            ("%41b", "Ab"), ("%4", "%4"), ("%", "%"), ("%zz", "%zz"), ("%+1", "%+1"),
            ("%C3%A4", "ä"), ("%FF", "\u{fffd}"), ("100%25", "100%"),
        ])
    func percentDecoding(text: String, expected: String) {
        #expect(percentDecoded(text) == expected)
    }

    @Test(
        "A redirect on the same server keeps the login and takes the rest from the target",
        arguments: [
            ("http://u:p@h/a?b", "http://h/c?d", "http://u:p@h/c?d"),
            ("http://h/a", "http://x:y@h:80/c", "http://h:80/c"),
            ("http://u:p@h/a", "https://h/a", nil), ("http://h/", "http://h:81/", nil),
            ("http://h/", "http://other/", nil),
        ] as [(String, String, String?)])
    func redirects(text: String, target: String, expected: String?) throws {
        #expect(try UploadURL(text).redirected(to: UploadURL(target))?.text == expected)
    }
}
