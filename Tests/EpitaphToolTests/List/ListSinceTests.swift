// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert list --since and --json")
struct ListSinceTests {
    private static let first = "11111111-2222-4333-8444-555555555555"
    private let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        // It crashed on 2026-08-22 at 03:14:07 UTC.
        try sample.file(Sample.minidump(), id: Self.first)
    }

    private func list(_ options: String...) throws -> String {
        try dumpConvertOutput(["list", "--database", sample.path] + options)
    }

    @Test(
        "The time of the crash decides, and a crash at that very moment is listed",
        arguments: [
            ("2026-08-22T03:14:07Z", true), ("2026-08-22T03:14:08Z", false),
            ("2026-08-22", true), ("2026-08-23", false), ("2026-08-22T05:14:07+02:00", true),
            ("2026-08-22T05:14:08+0200", false), ("2000000d", true),
        ])
    func since(time: String, isListed: Bool) throws {
        #expect(try list("--since", time).contains(Self.first) == isListed)
        #expect(try list("--group", "--since", time).contains(Self.first) == isListed)
    }

    @Test("A span counts back from now")
    func span() throws {
        var snapshot = Sample.snapshot()
        snapshot.process.snapshotTime = Timestamp.now.adding(seconds: -7200)
        let id = "22222222-2222-4333-8444-555555555555"
        try sample.file(Sample.minidump(snapshot), id: id)
        #expect(try list("--since", "3h").contains(id))
        #expect(try !list("--since", "1h").contains(id))
        #expect(try list("--since", "1h60m1m").contains(id))
    }

    @Test(
        "What is no time is refused", arguments: ["yesterday", "2026-02-29", "12", "h", "2026-8-2"])
    func nonsense(time: String) throws {
        let result = try dumpConvert("list", "--database", sample.path, "--since", time)
        result.expectFailure(2, saying: "--since takes a time as in", "not \"\(time)\"")
    }

    @Test("--json tells of each report what the table tells, and which cannot be read")
    func json() throws {
        let broken = "33333333-2222-4333-8444-555555555555"
        try sample.file(Array("garbage".utf8), id: broken)
        let result = try dumpConvert("list", "--database", sample.path, "--json")
        #expect(result.ending == .exited(1))
        let object = try jsonObject(result.standardOutput)
        #expect(object["schema"] as? String == "urn:epitaph:report-list")
        #expect(object["schemaVersion"] as? Int == 1)
        let reports = try #require(object["reports"] as? [[String: Any]])
        let byID = Dictionary(uniqueKeysWithValues: reports.map { ($0["id"] as? String ?? "", $0) })
        #expect(byID.count == 2)
        let good = try #require(byID[Self.first])
        #expect(good["time"] as? String == "2026-08-22T03:14:07Z")
        #expect(good["signal"] as? String == "SIGSEGV")
        #expect(good["program"] as? String == "/usr/bin/served")
        #expect(good["state"] as? String == "pending")
        #expect(good["uploadAttempts"] as? Int == 0)
        #expect(good["isReadable"] as? Bool == true)
        #expect(good["path"] as? String == "\(sample.path)/pending/\(Self.first).dmp")
        #expect(byID[broken]?["isReadable"] as? Bool == false)
        #expect(byID[broken]?["program"] == nil)
    }

    @Test("An empty database is an empty list, and not an error")
    func empty() throws {
        let empty = try SampleDatabase()
        for options in [[], ["--group"]] {
            let text = try dumpConvert(["list", "--database", empty.path] + options)
            #expect(text.ending == .exited(0) && text.standardOutput == "")
            let json = try dumpConvert(["list", "--database", empty.path, "--json"] + options)
            let object = try jsonObject(json.standardOutput)
            let key = options.isEmpty ? "reports" : "groups"
            #expect((object[key] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A program's name cannot drive a terminal through JSON either")
    func escapes() throws {
        let name = "/usr/bin/\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\"\\"
        try sample.file(
            Sample.minidump(program: name), id: "44444444-2222-4333-8444-555555555555")
        for options in [["--json"], ["--json", "--group"]] {
            let text = try dumpConvert(["list", "--database", sample.path] + options).standardOutput
            let scalars = text.unicodeScalars.filter { $0 != "\n" }
            #expect(scalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
            let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let list = (json?["reports"] ?? json?["groups"]) as? [[String: Any]]
            #expect(list?.contains { $0["program"] as? String == name } == true)
        }
    }
}
