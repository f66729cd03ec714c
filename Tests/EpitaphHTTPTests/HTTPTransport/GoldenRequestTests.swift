// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphHTTP

/// Exact requests, as a server receives them, in Tests/Fixtures/requests: what is sent must not
/// change unseen. `EPITAPH_RECORD_FIXTURES=1 swift test --filter GoldenRequestTests` writes them
/// anew.
@Suite("Requests, byte by byte")
struct GoldenRequestTests {
    static let isRecording = ProcessInfo.processInfo.environment["EPITAPH_RECORD_FIXTURES"] == "1"

    /// Sends the report and returns the request's bytes; the port and libcurl's version, which are
    /// the machine's, replaced.
    private func received(
        _ destination: GoldenReport.Destination, compression: BodyCompression = .none
    ) throws -> [UInt8] {
        let collector = try Collector("ok")
        var random = SplitMix(state: 1)
        let request = try destination.made(port: collector.port, compression: compression)
            .request(for: GoldenReport.report(), random: &random)
        #expect(try directTransport().send(request).status == 200)
        var received = try #require(collector.requests.first)
        received.lines = received.lines.map {
            $0.replacing("127.0.0.1:\(collector.port)", with: "127.0.0.1:8080")
                .replacing(/libcurl\/[0-9.]+/, with: "libcurl/7.88.1")
        }
        return received.bytes
    }

    @Test("What a server gets is the recorded request", arguments: GoldenReport.destinations)
    func golden(destination: GoldenReport.Destination) throws {
        let bytes = try received(destination)
        let path = Products.fixture("requests/\(destination.name).http")
        if Self.isRecording {
            try FileManager.default.createDirectory(
                atPath: Products.fixture("requests"), withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }
        let golden = try #require(FileManager.default.contents(atPath: path))
        #expect(
            bytes == Array(golden),
            "\(path) says something else: \(String(decoding: bytes, as: UTF8.self))")
    }

    @Test(
        "With gzip the body is the same once decompressed, and the head says so",
        arguments: GoldenReport.destinations)
    func compressed(destination: GoldenReport.Destination) throws {
        let plain = try ParsedRequest(received(destination))
        let packed = try ParsedRequest(received(destination, compression: .gzip))
        #expect(packed.hex == plain.hex)
        #expect(packed.target == plain.target)
        var headers = packed.headers
        #expect(headers.removeValue(forKey: "content-encoding") == "gzip")
        headers["content-length"] = plain.headers["content-length"]
        #expect(headers == plain.headers)
    }

    @Test("Python's parsers find the files in every form, whole and under their names")
    func files() throws {
        for destination in GoldenReport.destinations where destination.isForm {
            let parsed = try ParsedRequest(received(destination))
            let files = try #require(parsed.parts).filter { $0.filename != nil }
            #expect(files.map(\.name).contains("upload_file_minidump"))
            let minidump = try #require(files.first { $0.name == "upload_file_minidump" })
            #expect(minidump.filename == GoldenReport.uuid + ".dmp")
            #expect(minidump.bytes == GoldenReport.minidump)
            // Two attachments have one name, and the third is called like an annotation.
            let others = files.filter { $0.name != "upload_file_minidump" }
            #expect(
                others.compactMap(\.filename).sorted() == ["daemon.log", "daemon.log", "prod"])
            let contents: Set<[UInt8]> = [Array(GoldenReport.log.utf8), [1, 2, 0xff], []]
            #expect(Set(others.map(\.bytes)) == contents)
        }
    }

    @Test("Every collector finds what it knows a report by")
    func values() throws {
        func values(_ name: String) throws -> [String: String] {
            let destination = try #require(GoldenReport.destinations.first { $0.name == name })
            let parts = try #require(try ParsedRequest(received(destination)).parts)
            return Dictionary(
                uniqueKeysWithValues: parts.filter { $0.filename == nil }.map {
                    ($0.name, String(decoding: $0.bytes, as: UTF8.self))
                })
        }
        for name in ["crashpad", "backtrace"] {
            let values = try values(name)
            #expect(values["guid"] == GoldenReport.client)
            #expect(values.merging(GoldenReport.annotations) { $1 } == values)
            #expect(values["message"] == "Fatal error: Index out of range")
        }
        let socorro = try values("socorro")
        #expect(socorro["ProductName"] == "example-daemon" && socorro["Version"] == "1.4.2")
        #expect(socorro["ReleaseChannel"] == "beta" && socorro["prod"] == nil)
        #expect(socorro.keys.allSatisfy { $0.allSatisfy(\.isASCII) })
        let sentry = try values("sentry")
        #expect(sentry.keys.sorted() == ["sentry"])
        let event = try JSONDecoder().decode(
            SentryFields.self, from: Data((sentry["sentry"] ?? "").utf8))
        #expect(event.event_id == GoldenReport.uuid.replacing("-", with: ""))
        #expect(event.release == "example-daemon@1.4.2")
        #expect(event.environment == "production" && event.server_name == "node-7")
        #expect(event.user == ["id": GoldenReport.client])
        #expect(event.tags == ["prod": "example-daemon", "ver": "1.4.2", "channel": "beta"])
        #expect(event.extra == ["worker state": "serving\nsecond line", "grüße": "ä"])
    }

    private struct SentryFields: Decodable {
        let event_id, release, environment, server_name: String
        let user, tags, extra: [String: String]
    }
}

/// A request as Tests/Fixtures/python/parse_request.py reads it.
struct ParsedRequest: Decodable {
    let method, target, hex: String
    let headers: [String: String]
    let parts: [Part]?

    struct Part: Decodable {
        let name, hex: String
        let filename, type: String?

        var bytes: [UInt8] {
            stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
                UInt8(hex.dropFirst($0).prefix(2), radix: 16)
            }
        }
    }

    init(_ bytes: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        let run = try Subprocess.run([
            "python3", Products.fixture("python/parse_request.py"),
            try directory.write(bytes, to: "request"),
        ])
        guard run.ending == .exited(0) else { throw NoServer(run.standardError) }
        self = try JSONDecoder().decode(ParsedRequest.self, from: Data(run.standardOutput.utf8))
    }
}
