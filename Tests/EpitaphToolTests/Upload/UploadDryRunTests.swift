// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert upload --dry-run and --json")
struct UploadDryRunTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.id)
    }

    private func upload(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["upload", "--database", sample.path] + arguments)
    }

    private func lines(_ result: Subprocess) throws -> [[String: Any]] {
        try jsonLines(result.standardOutput)
    }

    @Test("A dry run tells what would be sent, and sends and changes nothing")
    func dryRun() throws {
        let before = try FileManager.default.subpathsOfDirectory(atPath: sample.path).sorted()
        let attachment = try sample.directory.write(Array("hello".utf8), to: "notes.txt")
        // Nothing listens there.
        let result = try upload(
            "--url", "http://user:secret@127.0.0.1:9/x?token=hidden", "--once", "--dry-run",
            "--attach", attachment)
        #expect(result.ending == .exited(0))
        let output = result.standardOutput
        #expect(output.hasPrefix("\(Self.id) would be sent to http://127.0.0.1:9 in "))
        #expect(output.contains("  annotation ver=1.2.3\n"))
        #expect(output.contains("  attachment notes.txt, 5 bytes\n"))
        #expect(result.standardError == "dump-convert: 1 would be sent\n")
        for secret in ["secret", "hidden"] {
            #expect(!(output + result.standardError).contains(secret))
        }
        let after = try FileManager.default.subpathsOfDirectory(atPath: sample.path).sorted()
        #expect(after.filter { !$0.hasSuffix("notes.txt") } == before)
        #expect(try sample.database.reports(.pending).reports.first?.uploadAttempts == 0)
    }

    @Test("A dry run gives no consent", arguments: ["--enable", "--disable"])
    func consent(option: String) throws {
        let before = try sample.database.settings().uploadsEnabled
        let result = try upload("--url", "http://127.0.0.1:9/", option, "--dry-run")
        #expect(result.ending == .exited(2), "\(result.standardError)")
        #expect(try sample.database.settings().uploadsEnabled == before)
    }

    @Test("A dry run tells why a report would not be sent")
    func dryRunOff() throws {
        let result = try upload("--url", "http://127.0.0.1:9/", "--dry-run")
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(
            result.standardError.hasPrefix(
                "dump-convert: 0 would be sent, 1 left pending: 1 uploads are off\n"))
    }

    @Test("JSON tells of each report on a line of its own, and of all on the last")
    func json() throws {
        let collector = try TestServer.collector("missing")
        let refused = try lines(
            upload("--url", collector.url, "--once", "--json", "--retry-limit", "0"))
        try #require(refused.count == 2)
        #expect(refused[0]["report"] as? String == Self.id)
        #expect(refused[0]["result"] as? String == "failed")
        #expect(refused[0]["status"] as? Int == 404)
        #expect(refused[1]["failed"] as? Int == 1)

        let later = try upload("--url", collector.url, "--once", "--json")
        #expect(later.ending == .exited(1))
        #expect(try lines(later)[0]["result"] as? String == "left-pending")
        #expect((try lines(later)[1]["reasons"] as? [String: Int]) == ["destinationRefused": 1])
        #expect(try lines(later)[1]["stuck"] as? Int == 1)
        #expect((try lines(later)[1]["stuckBecause"] as? [String])?.count == 1)

        let other = try TestServer.collector("ok")
        let sent = try lines(
            upload("--url", other.url, "--json", "--request", String(Self.id.prefix(4))))
        #expect(sent[0]["result"] as? String == "sent")
        #expect(sent[0]["serverID"] as? String == "bp-1234")
        #expect(sent[1]["sent"] as? Int == 1)
    }
}
