// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("What dump-convert upload puts into requests")
struct UploadFormTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase
    let directory: TemporaryDirectory

    init() throws {
        sample = try SampleDatabase()
        directory = try TemporaryDirectory()
        var snapshot = Sample.snapshot()
        snapshot.annotations.append(
            Annotation(name: "query", value: String(repeating: "select ", count: 2_000)))
        try sample.file(Sample.minidump(snapshot), id: Self.id)
    }

    private func upload(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["upload", "--database", sample.path, "--once"] + arguments)
    }

    @Test("otlp: alone sends to the collector of OpenTelemetry's variables, with their headers")
    func variablesOfOpenTelemetry() throws {
        let collector = try TestServer.collector("ok")
        let result = try dumpConvert(
            [
                "upload", "--database", sample.path, "--once", "--no-compression", "--url",
                "otlp:",
            ],
            environment: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(collector.port)",
                "OTEL_EXPORTER_OTLP_HEADERS": "api-key=se%2Ccret",
            ])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let head = try collector.head(0)
        #expect(head.hasPrefix("POST /v1/logs ") || head.contains("\nPOST /v1/logs "))
        #expect(head.contains("api-key: se,cret"))
        let body = String(decoding: try collector.body(0), as: UTF8.self)
        #expect(body.contains(#""app.crash.id","value":{"stringValue":"\#(Self.id)"}"#))
        #expect(!(result.standardOutput + result.standardError).contains("cret"))
    }

    @Test("--header takes a file of headers, as upload-logs does, and never repeats one")
    func headerFile() throws {
        let collector = try TestServer.collector("ok")
        let file = try directory.write(
            Array("Authorization: Bearer secret\n\nX-One: 1\r\n".utf8), to: "headers")
        // As a container's secrets come.
        symlink(file, directory.path("link"))
        let result = try upload(
            "--url", "post:" + collector.url, "--header", "@" + directory.path("link"), "--header",
            "X-Two: 2")
        #expect(result.ending == .exited(0))
        let head = try collector.head(0)
        for line in ["Authorization: Bearer secret", "X-One: 1", "X-Two: 2"] {
            #expect(head.contains(line))
        }
        #expect(!(result.standardOutput + result.standardError).contains("secret"))
    }

    @Test(
        "A file of headers that is none is an error that names file and line, and no value",
        arguments: [
            ("Authorization: secret\nsecret\n", "headers, line 2: a header is written NAME: VALUE"),
            (": secret", "headers, line 1:"),
            (String(repeating: "A: secret\n", count: 7_000), "headers is larger than 65536 bytes"),
        ])
    func badHeaderFile(text: String, words: String) throws {
        try directory.write(Array(text.utf8), to: "headers")
        let result = try upload(
            "--url", "post:http://127.0.0.1:9/", "--header", "@" + directory.path("headers"))
        result.expectFailure(1, saying: words)
        #expect(!result.standardError.contains("secret"))
        let missing = try upload(
            "--url", "post:http://127.0.0.1:9/", "--header", "@" + directory.path("none"))
        #expect(missing.ending == .exited(3))
    }

    @Test("--attach sends text as text and bytes as bytes")
    func attachedText() throws {
        let collector = try TestServer.collector("ok")
        let log = try directory.write(Array("07:00 started, grüße\n".utf8), to: "app.log")
        let bytes = try directory.write([0, 1, 2, 0xff], to: "blob")
        let result = try upload(
            "--url", collector.url, "--no-compression", "--attach", log, "--attach", bytes)
        #expect(result.ending == .exited(0))
        let body = String(decoding: try collector.body(0), as: UTF8.self)
        #expect(
            body.contains("filename=\"app.log\"\r\nContent-Type: text/plain"),
            "\(body.prefix(9_000))")
        #expect(body.contains("filename=\"blob\"\r\nContent-Type: application/octet-stream\r\n"))
    }

    @Test(
        "A long annotation is sent whole to whoever takes values of that length",
        arguments: [
            "crashpad:URL", "socorro:URL", "backtrace:URL?format=minidump&token=t0ken0t0ken",
        ])
    func longAnnotation(specification: String) throws {
        let collector = try TestServer.collector("ok")
        let url = specification.replacing("URL", with: collector.url)
        let result = try upload("--url", url, "--no-compression")
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let long = String(repeating: "select ", count: 2_000)
        let body = String(decoding: try collector.body(0), as: UTF8.self)
        #expect(body.contains("name=\"query\"\r\n\r\n\(long)\r\n"))
    }
}
