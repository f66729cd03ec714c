// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert upload")
struct UploadTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.id)
    }

    @Test("Nothing is sent while uploads are off, and the sentence tells how to send")
    func off() throws {
        let result = try upload("--url", "http://127.0.0.1:9/")
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(
            result.standardError
                == "dump-convert: 0 sent, 1 left pending: 1 uploads are off\n"
                + "dump-convert: uploads are off in this database: --enable turns them on "
                + "permanently, --once sends this time only\n")
        #expect(try sample.database.reports(.pending).reports.first?.uploadAttempts == 0)
    }

    @Test("--once sends what is pending and leaves uploads off")
    func once() throws {
        let collector = try TestServer.collector("ok")
        let result = try upload("--url", collector.url, "--once")
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "dump-convert: 1 sent\n")
        #expect(result.standardOutput == "\(Self.id) sent, the server calls it bp-1234\n")
        #expect(try sample.files(in: "completed").contains("\(Self.id).dmp"))
        #expect(try sample.database.settings().uploadsEnabled == false)
        #expect(try collector.head(0).contains("POST /submit"))
    }

    @Test("--enable turns uploads on for good and sends; --disable turns them off and does not")
    func enable() throws {
        let collector = try TestServer.collector("ok")
        #expect(try upload("--url", collector.url, "--enable").ending == .exited(0))
        #expect(try sample.database.settings().uploadsEnabled)
        try sample.file(Sample.minidump(), id: "22222222-2222-4333-8444-555555555555")
        #expect(try upload("--disable").ending == .exited(0))
        #expect(try sample.database.settings().uploadsEnabled == false)
        #expect(try sample.database.reports(.pending).reports.count == 1)
        #expect(try upload("--enable").ending == .exited(0))
        #expect(try sample.database.reports(.pending).reports.count == 1)
        let environment = ["EPITAPH_UPLOAD_URL": collector.url]
        try dumpConvertOutput(
            "upload", "--database", sample.path, environment: environment)
        #expect(try sample.database.reports(.completed).reports.count == 2)
    }

    @Test("A report the server refuses stays pending, and the server's words are told")
    func refused() throws {
        let collector = try TestServer.collector("broken")
        let result = try upload("--url", collector.url, "--once", "--retry-limit", "0")
        #expect(result.ending == .exited(1))
        #expect(result.standardOutput == "")
        #expect(result.standardError.hasPrefix("dump-convert: report \(Self.id): not sent: "))
        #expect(result.standardError.contains("500"))
        #expect(result.standardError.hasSuffix("dump-convert: 0 sent, 1 failed\n"))
        #expect(try sample.database.reports(.pending).reports.first?.uploadAttempts == 1)
    }

    @Test("Without libcurl nothing is lost, and the sentence says what to install")
    func withoutLibrary() throws {
        let libraryFolder = "/usr" + Machine.own.libraryFolder
        let libraries = try FileManager.default.contentsOfDirectory(atPath: libraryFolder)
            .filter { $0.hasPrefix("libcurl") && $0.contains(".so.4.") }
        try #require(!libraries.isEmpty)
        let hidden = libraries.flatMap { ["--bind", "/dev/null", libraryFolder + "/" + $0] }
        let result = try Subprocess.run(
            ["bwrap", "--dev-bind", "/", "/"] + hidden + [
                Products.executable("dump-convert"), "upload", "--database", sample.path,
                "--url", "http://127.0.0.1:9/", "--once",
            ], deadlineSeconds: 30)
        result.expectFailure(1, saying: "libcurl.so.4", "apt-get install libcurl4")
        #expect(try sample.database.reports(.pending).reports.count == 1)
    }

    @Test("One server that cannot be reached is tried once, not once for each report")
    func unreachable() throws {
        try sample.file(Sample.minidump(), id: "22222222-2222-4333-8444-555555555555")
        // Nothing listens on the discard port of the loopback.
        let result = try upload("--url", "http://user:secret@127.0.0.1:9/", "--once")
        #expect(result.ending == .exited(1))
        let sentences = result.standardError.split(separator: "\n")
        #expect(sentences.count == 2)
        #expect(sentences.first?.contains("cannot connect to http://127.0.0.1:9") == true)
        #expect(
            sentences.last.map(String.init)
                == "dump-convert: 0 sent, 1 failed, 1 left pending: "
                + "1 the server cannot be reached")
        #expect(!result.standardError.contains("secret"))
    }

    @Test("A URL that cannot be used is a usage error that does not repeat the URL")
    func badURL() throws {
        let result = try upload("--url", "ftp://user:secret@example.org/")
        #expect(result.ending == .exited(2))
        #expect(
            result.standardError
                == "dump-convert: upload: where to send reports is written as a URL, http:// or "
                + "https://, or begins with what takes them there: crashpad:, sentry:, backtrace:, "
                + "socorro:, s3:, otlp:, put:, post:; see \"dump-convert upload --help\"\n")
    }

    @Test("A destination that is nearly one is guessed")
    func nearlyDestination() throws {
        let result = try upload("--url", "sntry:http://secret@example.org/1")
        result.expectFailure(2, saying: "(did you mean sentry:?)")
        #expect(!result.standardError.contains("secret"))
    }

    private func upload(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["upload", "--database", sample.path] + arguments)
    }
}
