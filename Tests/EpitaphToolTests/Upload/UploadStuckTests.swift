// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert upload, when reports are stuck")
struct UploadStuckTests {
    private static let ids = (1...4).map { "\($0)1111111-2222-4333-8444-555555555555" }

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        for id in Self.ids { try sample.file(Sample.minidump(), id: id) }
    }

    private func upload(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["upload", "--database", sample.path] + arguments)
    }

    private func uuid(_ index: Int) throws -> Epitaph.ID {
        try #require(Epitaph.ID(Self.ids[index]))
    }

    @Test("Each run says that the address or the key is refused, and fails until it is right")
    func refused() throws {
        let wrong = try TestServer.collector("missing")
        let first = try upload("--url", wrong.url + "?key=s3cret-key", "--once")
        first.expectFailure(1, saying: "3 left pending: 3 the server refuses every report")
        for _ in 0..<3 {
            let again = try upload("--url", wrong.url + "?key=s3cret-key", "--once")
            #expect(again.ending == .exited(1))
            let sentence =
                "dump-convert: 4 stuck: the server refuses every report with this address and key"
            #expect(again.standardError.contains(sentence))
            #expect(again.standardError.contains("It answered 404 and said: no such project."))
            #expect(again.standardError.contains("--now tries at once"))
        }
        #expect((try? wrong.head(1)) == nil)
        let kept = try String(
            contentsOfFile: sample.path + "/delivery/destinations.json", encoding: .utf8)
        #expect(!kept.contains("s3cret") && !first.standardError.contains("s3cret"))

        let right = try TestServer.collector("ok")
        let sent = try upload("--url", right.url, "--once")
        #expect(sent.ending == .exited(0))
        #expect(sent.standardError == "dump-convert: 4 sent\n")
    }

    @Test("While a server that could not be reached is left alone, a run says until when")
    func unreachable() throws {
        _ = try upload("--url", "http://127.0.0.1:9/", "--once", "--retry-limit", "0")
        let again = try upload("--url", "http://127.0.0.1:9/", "--once")
        again.expectFailure(
            1, saying: "4 left pending: 4 the server cannot be reached",
            "the server could not be reached, and is tried again after ", "; --now tries at once")
    }

    @Test(
        "A file that is named and missing is an error before anything is sent",
        arguments: ["--ca-file", "--client-cert", "--scrub-rules", "--attach"])
    func missingFile(option: String) throws {
        let collector = try TestServer.collector("ok")
        let result = try upload("--url", collector.url, "--once", option, "/nowhere/it")
        #expect(result.ending == .exited(3))
        #expect(
            result.standardError
                == "dump-convert: \(option): cannot open /nowhere/it: No such file "
                + "or directory\n")
        #expect(
            try upload("--url", collector.url, "--once").standardError == "dump-convert: 4 sent\n")
    }

    @Test("--now asks once, and says what came of it")
    func now() throws {
        let wrong = try TestServer.collector("missing")
        _ = try upload("--url", wrong.url, "--once")
        #expect(try upload("--url", wrong.url, "--once", "--now").ending == .exited(1))
        #expect((try? wrong.head(1)) != nil && (try? wrong.head(2)) == nil)
    }

    @Test("What the server will not take for its own sake is told of in each run, too")
    func parked() throws {
        try sample.database.updateDeliveryState(of: try uuid(0)) { $0.isFinal = true }
        let collector = try TestServer.collector("ok")
        let result = try upload("--url", collector.url, "--once")
        #expect(result.ending == .exited(1))
        #expect(
            result.standardError.hasSuffix(
                "dump-convert: 1 stuck: the server refused them; --request REPORT tries one"
                    + " again, --request all every one\n"))
        #expect(try upload("--url", collector.url, "--request", "all").ending == .exited(0))
        #expect(try sample.database.reports(.pending).reports.isEmpty)
    }

    @Test("--request all asks for every report that waits, while uploads are off too")
    func all() throws {
        let collector = try TestServer.collector("ok")
        let result = try upload("--url", collector.url, "--request", "all")
        #expect(result.ending == .exited(0))
        #expect(try sample.database.reports(.completed).reports.count == 4)
        #expect(try !sample.database.settings().uploadsEnabled)
    }

    @Test("A report that is busy, or is not there, keeps no other from being asked for")
    func busy() throws {
        let collector = try TestServer.collector("ok")
        let attempt = try sample.database.beginUpload(of: try uuid(0))
        defer { attempt.recordFailure() }
        let result = try upload(
            "--url", collector.url, "--request", Self.ids[0], "--request", "ffff", "--request",
            Self.ids[1])
        #expect(result.ending == .exited(1))
        #expect(result.standardOutput == "\(Self.ids[1]) sent, the server calls it bp-1234\n")
        #expect(result.standardError.contains("\(Self.ids[0]) is in use by another process"))
        #expect(result.standardError.contains("there is no report ffff"))
    }

    @Test("What a killed uploader held is sent by the next at once")
    func killed() throws {
        let silent = try TestServer.collector("stall")
        let killed = try Subprocess.spawn([
            Products.executable("dump-convert"), "upload", "--database", sample.path, "--url",
            silent.url, "--once",
        ])
        #expect(
            eventually {
                (try? sample.files(in: "pending").contains { $0.hasSuffix(".lock") }) == true
            })
        kill(killed, SIGKILL)
        var status: Int32 = 0
        waitpid(killed, &status, 0)
        try #require(try sample.files(in: "pending").contains { $0.hasSuffix(".lock") })
        let collector = try TestServer.collector("ok")
        let result = try upload("--url", collector.url, "--once", "--now")
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardError == "dump-convert: 4 sent\n")
    }
}
