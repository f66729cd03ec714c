// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert upload --scrub-…")
struct UploadScrubbingTests {
    private static let id = "11111111-2222-4333-8444-555555555555"
    private static let secret = "hunter2-hunter2"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        var snapshot = Sample.snapshot(program: "/usr/bin/served")
        snapshot.annotations.append(Annotation(name: "token", value: Self.secret))
        try sample.file(Sample.minidump(snapshot), id: Self.id)
    }

    private func upload(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["upload", "--database", sample.path, "--once"] + arguments)
    }

    private func minidump(in folder: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(sample.path)/\(folder)/\(Self.id).dmp"))
    }

    @Test("What is denied is in no byte that is sent, and stays in the database")
    func denied() throws {
        let collector = try TestServer.collector("ok")
        let result = try upload(
            "--url", collector.url, "--no-compression", "--scrub-deny", "tok*")
        #expect(result.ending == .exited(0))
        let body = try collector.body(0)
        #expect(body.contains(Data("1.2.3".utf8)))
        #expect(!body.contains(Data(Self.secret.utf8)))
        #expect(!body.contains(Data("token".utf8)))
        #expect(try minidump(in: "completed").contains(Data(Self.secret.utf8)))
    }

    @Test("A rules file does the same, and a dry run tells what is taken out")
    func rulesFile() throws {
        let rules = try sample.directory.write(
            Array(#"{"annotations": {"deny": ["token"]}}"#.utf8), to: "rules.json")
        // A container's configuration is often a symbolic link.
        let link = sample.directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: rules)
        let result = try upload(
            "--url", "http://127.0.0.1:9/", "--dry-run", "--scrub-rules", link)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.contains("  scrubbed: 1 annotation (token) is removed\n"))
        #expect(result.standardOutput.contains("  annotation ver=1.2.3\n"))
        #expect(!result.standardOutput.contains(Self.secret))
    }

    @Test("A report of which nobody knows what to take out is not sent")
    func failsClosed() throws {
        let path = "\(sample.path)/pending/\(Self.id).dmp"
        try Data("no minidump at all".utf8).write(to: URL(fileURLWithPath: path))
        let collector = try TestServer.collector("ok")
        let result = try upload(
            "--url", collector.url, "--scrub-deny", "token", "--retry-limit", "0")
        result.expectFailure(1, saying: "not known what to take out")
        #expect((try? collector.head(0)) == nil)
        #expect(try sample.database.reports(.pending).reports.count == 1)
    }

    @Test("A rule that makes no sense is a usage error that names it")
    func badRule() throws {
        let result = try upload("--url", "http://127.0.0.1:9/", "--scrub-memory", "some")
        result.expectFailure(2, saying: "--scrub-memory")
        let rules = try sample.directory.write(Array("{".utf8), to: "rules.json")
        let broken = try upload("--url", "http://127.0.0.1:9/", "--scrub-rules", rules)
        broken.expectFailure(2, saying: rules)
    }
}
