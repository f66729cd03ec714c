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
        #expect(lines[1] == "It is not known how much crashed in the week before.")
        #expect(
            lines[3].split(separator: " ").prefix(5) == [
                "2", "66.7%", "2", "new", "2026-08-22T04:14:07Z",
            ])
        #expect(lines[3].hasSuffix(" served+0x405678"))
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

    /// A signature is worse and another is back with a new release; clocks of 1970 say otherwise.
    private func fileMonth() throws {
        var number = 0
        func file(_ day: Double, _ address: UInt64, _ version: String, host: Int) throws {
            number += 1
            var snapshot = Sample.snapshot(at: address)
            snapshot.process.snapshotTime = Timestamp(
                secondsSince1970: day < -50 ? 40 : 1_787_356_800 + day * 86_400)
            snapshot.annotations.removeAll { $0.name == "version" || $0.name == "ver" }
            snapshot.annotations += [
                Annotation(name: "server_name", value: "web-\(host)"),
                Annotation(name: "release", value: version),
            ]
            let digits = String(100_000 + number)
            try sample.file(
                Sample.minidump(snapshot), id: "aa\(digits)-2222-4333-8444-555555555555")
        }
        // 2026-08-22 is day 0; the releases begin on days -21, -7 (without 0x1000) and 0.
        for index in 0..<24 { try file(-21 + Double(index) / 2, 0x40_1000, "1", host: index % 8) }
        for index in 0..<24 { try file(-6.9 + Double(index) / 5, 0x40_2000, "2", host: index % 8) }
        for index in 0..<4 { try file(0.5 + Double(index), 0x40_1000, "3", host: index) }
        for index in 0..<4 { try file(-6 + Double(index), 0x40_3000, "2", host: index) }
        for index in 0..<48 { try file(0.1 + Double(index) / 8, 0x40_3000, "3", host: index % 8) }
        for index in 0..<5 { try file(-100, [0x40_1000, 0x40_4000][index % 2], "3", host: 9) }
    }

    @Test("A month says what is worse and back, and an alert has a status of its own")
    func month() throws {
        try fileMonth()
        let arguments = ["fleet", "--database", sample.path] + Self.week
        let result = try dumpConvert(arguments + ["--json"])
        #expect(result.ending == .exited(0))
        let object = try jsonObject(result.standardOutput)
        let changes = try #require(object["changes"] as? [[String: Any]])
        #expect(changes.map { $0["isWorse"] as? Bool } == [true, false])
        #expect(changes.map { $0["factor"] as? Double } == [12, nil])
        #expect(changes.map { $0["backIn"] as? String } == [nil, "3"])
        #expect(changes.map { $0["goneIn"] as? String } == [nil, "2"])
        #expect(object["doubtful"] as? Int == 5 && object["newSignatures"] as? Int == 0)
        #expect(object["crashesBefore"] as? Int == 28 && object["crashes"] as? Int == 52)

        let mark = outputs.path("mark")
        let hook = ["--then", "/usr/bin/tee \(mark)"]
        let quiet = try dumpConvert(arguments + ["--alert", "new,worse=13x"] + hook)
        #expect(quiet.ending == .exited(0) && !FileManager.default.fileExists(atPath: mark))
        let loud = try dumpConvert(arguments + ["--alert", "new,back,worse=3x"] + hook)
        #expect(loud.ending == .exited(4))
        #expect(loud.standardError.contains("worse, 12 times as often: served: "))
        #expect(loud.standardError.contains("back in 3 (not in 2): served: "))
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    /// A session of ten hours on each day from day `first` on; the day 0 is 2026-08-22.
    private func fileSessions(_ days: Range<Int>, of bundleID: String) throws {
        let sessions = sample.path + "/sessions"
        try FileManager.default.createDirectory(
            atPath: sessions, withIntermediateDirectories: true)
        for day in days {
            let line =
                #"{"id":"\#(UUID().uuidString.lowercased())","session":true,"outcome":"completed","#
                + #""start":\#(1_787_356_800 + day * 86_400 + 7_200),"seconds":36000,"errors":0}"#
            try (line + "\n").write(
                toFile: sessions + "/\(bundleID)@\(20_687 + day).sessions", atomically: true,
                encoding: .utf8)
        }
    }

    @Test("Rates are by the hours of sessions, if it is known whose they are")
    func sessions() throws {
        try fileMonth()
        try fileSessions(-7..<7, of: "com.example.served")
        let arguments = ["fleet", "--database", sample.path] + Self.week + ["--json"]
        let known = try jsonObject(dumpConvertOutput(arguments))
        #expect(known["runningHours"] as? Double == 70)
        #expect(known["runningHoursBefore"] as? Double == 70)
        #expect(
            known["summary"] as? String
                == "Crashes per host and 1,000 running hours: 400 in the week before, 743 now, "
                + "with the new served 3; 1 back, 1 worse (12 times as often).")
        try fileSessions(0..<1, of: "com.example.other")
        let unknown = try jsonObject(dumpConvertOutput(arguments))
        #expect(unknown["runningHours"] == nil)
    }

    @Test("An alert about a week of which nothing before is known is a failure, not a silence")
    func unknownAlert() throws {
        try file(1, hours: 0)
        let result = try dumpConvert(
            ["fleet", "--database", sample.path] + Self.week + ["--alert", "new"])
        result.expectFailure(1, saying: "nothing earlier is known")
    }

    @Test(
        "A wrong alert or address is a mistake of the command line",
        arguments: [
            ["--alert", "sad"], ["--then", "/bin/true"], ["--alert", "new", "--then", " "],
            ["--html", "-", "--report-url", "javascript:{uuid}"],
            ["--html", "-", "--report-url", "https://host/"],
        ])
    func wrongAlert(arguments: [String]) throws {
        #expect(
            try dumpConvert(["fleet", "--database", sample.path] + arguments).ending == .exited(2))
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
        #expect(
            result.standardOutput
                == "No crashes, 2001-01-01 00:00:00 UTC to 2001-01-08 00:00:00 UTC\n")
        #expect(!result.standardError.contains("share of hosts"))
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
