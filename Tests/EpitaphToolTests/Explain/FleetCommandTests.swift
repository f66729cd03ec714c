// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert fleet")
struct FleetCommandTests {
    let sample: SampleDatabase
    private let outputs: TemporaryDirectory

    init() throws {
        sample = try SampleDatabase()
        outputs = try TemporaryDirectory()
    }

    /// Files a crash of 2026-08-22 03:14:07, and so many hours later.
    private func file(_ number: Int, hours: Int, at address: UInt64 = 0x40_1234) throws {
        var snapshot = Sample.snapshot(at: address)
        snapshot.process.snapshotTime = Timestamp(
            secondsSince1970: 1_787_368_447 + Double(hours) * 3600)
        snapshot.annotations.append(Annotation(name: "server_name", value: "web-\(number)"))
        try sample.file(
            Sample.minidump(snapshot), id: "\(number)1111111-2222-4333-8444-555555555555")
    }

    private static let week = ["--since", "2026-08-22", "--until", "2026-08-29"]

    private func fleet(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["fleet", "--database", sample.path] + arguments)
    }

    @Test("Reports of a database become a page, a text and JSON that say the same")
    func local() throws {
        try file(1, hours: -100)
        try file(2, hours: 0)
        try file(3, hours: 1, at: 0x40_5678)
        try file(4, hours: 1, at: 0x40_5678)
        let arguments = ["fleet", "--database", sample.path] + Self.week
        let text = try dumpConvert(arguments)
        #expect(text.ending == .exited(0))
        let lines = text.standardOutput.split(separator: "\n")
        #expect(
            lines[0] == "3 crashes on 3 hosts, "
                + "2026-08-22 00:00:00 UTC to 2026-08-29 00:00:00 UTC")
        #expect(
            lines[2].split(separator: " ").prefix(5) == [
                "2", "66.7%", "2", "new", "2026-08-22T04:14:07Z",
            ])
        #expect(lines[2].hasSuffix(" served+0x405678"))
        let json = try dumpConvert(arguments + ["--json"])
        let object = try jsonObject(json.standardOutput)
        #expect(object["schema"] as? String == "urn:epitaph:fleet")
        #expect(object["crashes"] as? Int == 3)
        #expect((object["crashesPerStep"] as? [Int])?[3...4] == [1, 2])
        #expect(object["newSignatures"] as? Int == 1)
        let release = try #require((object["topReleases"] as? [[String: Any]])?.first)
        #expect(release["program"] as? String == "served")
        #expect(release["version"] as? String == "1.2.3")
        let page = outputs.path("week.html")
        let written = try dumpConvert(arguments + ["--html", page])
        #expect(written.ending == .exited(0) && written.standardOutput == "")
        let source = try String(contentsOfFile: page, encoding: .utf8)
        #expect(source.contains("<h1>3 crashes on 3 hosts</h1>"))
        #expect(source.hasSuffix("</html>\n"))
    }

    @Test("A report that cannot be read is said, and counted nowhere")
    func unreadable() throws {
        try file(1, hours: 0)
        try sample.file(Array("no minidump".utf8), id: "91111111-2222-4333-8444-555555555555")
        let result = try dumpConvert(["fleet", "--database", sample.path] + Self.week)
        #expect(result.ending == .exited(1))
        #expect(result.standardOutput.hasPrefix("1 crash on 1 host, "))
        #expect(
            result.standardError.contains("1 report could not be read, and is counted nowhere."))
    }

    @Test("A page that is there is replaced only if that is asked for")
    func force() throws {
        let page = outputs.path("week.html")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: page))
        try file(1, hours: 0)
        let refused = try fleet("--html", page)
        refused.expectFailure(1, saying: "exists already; --force replaces it")
        #expect(try String(contentsOfFile: page, encoding: .utf8) == "mine")
        #expect(try fleet("--html", page, "--force").ending == .exited(0))
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("</html>"))
    }

    @Test("A time without crashes is no failure")
    func nothing() throws {
        try file(1, hours: 0)
        let result = try fleet("--since", "2001-01-01", "--until", "2001-01-08")
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.hasPrefix("No crashes, 2001-01-01 00:00:00 UTC to "))
    }

    @Test("Times the wrong way round are a mistake of the command line")
    func wrongTimes() throws {
        let result = try fleet("--since", "2026-02-02", "--until", "2026-02-01")
        result.expectFailure(2, saying: "there is nothing to count from 2026-02-02")
    }

    @Test(
        "A table's server that is not there is named without its password, and nothing is written")
    func noServer() throws {
        let page = outputs.path("week.html")
        let place = outputs.path("place")
        try Data("clickhouse:http://u:geheim@127.0.0.1:1/crashes\n".utf8)
            .write(to: URL(fileURLWithPath: place))
        let result = try dumpConvert(["fleet", "--clickhouse", "@\(place)", "--html", page])
        result.expectFailure(1, saying: "http://127.0.0.1:1")
        #expect(!result.standardError.contains("geheim"))
        #expect(!FileManager.default.fileExists(atPath: page))
    }

    @Test("A table and a database together are a mistake of the command line")
    func both() throws {
        let result = try fleet("--clickhouse", "clickhouse:http://127.0.0.1:1/crashes")
        #expect(result.ending == .exited(2))
    }
}
