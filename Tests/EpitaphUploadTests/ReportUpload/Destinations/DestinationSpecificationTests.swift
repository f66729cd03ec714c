// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Destinations as operators write them")
struct DestinationSpecificationTests {
    @Test(
        "Each kind is made with its server and URL",
        arguments: [
            ("https://host/submit?k=v", "https://host/submit?k=v&guid="),
            ("HTTP://host/submit", "HTTP://host/submit?guid="),
            ("crashpad:https://host:8443/submit", "https://host:8443/submit?guid="),
            ("sentry:https://key@host/7", "https://host/api/7/minidump/?sentry_key=key"),
            (
                "backtrace:universe-1/0123456789abcdef",
                "https://submit.backtrace.io/universe-1/0123456789abcdef/minidump"
            ),
            (
                "Backtrace:https://submit.backtrace.io/u/0123456789abcdef/minidump",
                "https://submit.backtrace.io/u/0123456789abcdef/minidump"
            ),
            (
                "backtrace:https://own.example.org:6098/post?format=minidump&token=t",
                "https://own.example.org:6098/post?format=minidump&token=t"
            ),
            ("socorro:https://host/submit", "https://host/submit"),
            ("put:https://host/{product}.dmp", "https://host/unknown.dmp"),
            ("post:http://host/{file}", "http://host/"),
        ])
    func kinds(text: String, url: String) throws {
        let destination = try DestinationSpecification(text).destination()
        var random = FixedRandom()
        let request = try destination.request(for: .example(), random: &random)
        #expect(request.url.text.hasPrefix(url), "\(request.url.text)")
        #expect(request.url.server == destination.server)
        #expect(request.method == (text.hasPrefix("put") ? .put : .post))
        #expect(request.headers.contains(.gzipEncoded))
    }

    @Test("Compression, time limits and, for templates, headers can be chosen for every kind")
    func options() throws {
        var options = DestinationOptions()
        options.compression = .none
        options.timeLimits.total = .seconds(7)
        var random = FixedRandom()
        for text in [
            "https://host/", "sentry:https://key@host/7", "backtrace:u/0123456789abcdef",
            "socorro:https://host/", "put:https://host/",
        ] {
            let request = try DestinationSpecification(text).destination(options)
                .request(for: .example(), random: &random)
            #expect(!request.headers.contains(.gzipEncoded))
            #expect(request.timeLimits.total.inSeconds == 7)
        }
        options.headers = [("X-Api-Key", "secret")]
        let request = try DestinationSpecification("put:https://host/").destination(options)
            .request(for: .example(), random: &random)
        #expect(request.headers.last == HTTPHeader("X-Api-Key", "secret"))
        #expect(throws: SettingError.self) {
            try DestinationSpecification("sentry:https://key@host/7").destination(options)
        }
    }

    static let faults = [
        ("", "http"), ("secret", "http"), ("secret:x", "http"), ("ftp://secret", "http"),
        ("crashpad:", "URL"), ("crashpad:secret", "URL"), ("crashpad:ftp://secret", "URL"),
        ("https://secret@o1.ingest.sentry.io/42", "sentry:"),
        ("https://secret@sentry.io/42", "sentry:"), ("sentry:", "DSN"), ("sentry:secret", "DSN"),
        ("backtrace:", "UNIVERSE/TOKEN"), ("backtrace:secret", "UNIVERSE/TOKEN"),
        ("backtrace:u/secret/x", "UNIVERSE/TOKEN"), ("backtrace:/secretsecret", "universe"),
        ("backtrace:u.v/secretsecret", "universe"), ("backtrace:u/secret", "token"),
        ("backtrace:u/secret secret", "token"), ("backtrace:u/", "token"),
        ("backtrace:https://submit.backtrace.io/u/secretsecret/json", "minidump"),
        ("backtrace:https://submit.backtrace.io/secretsecret", "minidump"),
        ("backtrace:https://host/post?format=json&token=secret", "format=minidump"),
        ("backtrace:ftp://secret", "Backtrace URL"), ("socorro:secret", "Socorro URL"),
        ("put:secret", "URL"), ("put:https://host/{secret}", "brace"),
        ("put:https://host/secret}", "brace"), ("put:https://host/{uuid", "brace"),
        ("put:https://{uuid}.host/secret", "path and query"),
        ("put:https://{uuid}:secret@host/", "path and query"),
        ("post:https://host/secret{{", "percent-encoded"),
    ]

    @Test(
        "What cannot be used is said with the part at fault, and nothing of it is repeated",
        arguments: faults)
    func refused(text: String, part: String) {
        let error = #expect(throws: SettingError.self) {
            try DestinationSpecification(text).destination()
        }
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false, "\(String(describing: error))")
    }

    @Test("A request in words is its method, server, length and encoding")
    func words() throws {
        var options = DestinationOptions()
        var random = FixedRandom()
        let specification = try DestinationSpecification("put:https://host/secret?secret=secret")
        let packed = try specification.destination(options)
            .request(for: .example(), random: &random)
        #expect("\(packed)" == "PUT to https://host, \(packed.body.contentLength) bytes, gzip")
        options.compression = .none
        let plain = try specification.destination(options)
            .request(for: .example(), random: &random)
        #expect(String(reflecting: plain) == "PUT to https://host, 4 bytes")
    }

    @Test("However a specification, a destination or its request is printed, no secret shows")
    func printing() throws {
        let secret = "5ec2e75ec2e75ec2e75ec2e75ec2e7ff"
        var options = DestinationOptions()
        for text in [
            "https://user:\(secret)@host/\(secret)/in?key=\(secret)",
            "sentry:https://\(secret)@host/7", "backtrace:u/\(secret)",
            "backtrace:https://host/post?format=minidump&token=\(secret)",
            "socorro:https://host/\(secret)", "put:https://host/a?X-Amz-Signature=\(secret)",
            "post:https://host/",
        ] {
            options.headers = text.hasPrefix("p") ? [("Authorization", "Bearer \(secret)")] : []
            let specification = try DestinationSpecification(text)
            let destination = try specification.destination(options)
            var random = FixedRandom()
            let request = try destination.request(for: .example(), random: &random)
            for value in [specification, options, destination, request, request.headers] as [Any] {
                var dumped = ""
                dump(value, to: &dumped)
                for shown in ["\(value)", String(reflecting: value), dumped] {
                    #expect(!shown.contains(secret), "\(shown)")
                }
            }
            #expect(!destination.server.contains(secret))
            let echoed = "bad token \(secret), Basic \(secret)"
            #expect(request.secrets.hidden(in: echoed) == "bad token [hidden], Basic [hidden]")
        }
    }
}
