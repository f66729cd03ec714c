// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert stats")
struct StatsCommandTests {
    let sample: SampleDatabase
    private let outputs: TemporaryDirectory

    init() throws {
        sample = try SampleDatabase()
        outputs = try TemporaryDirectory()
    }

    /// Keeps sessions of today as docs/sessions.md has them.
    private func keep(
        _ lines: [(outcome: String, user: String?, seconds: Int)], start: Int? = nil
    ) throws {
        let now = start.map(Double.init) ?? Timestamp.now.secondsSince1970
        let directory = sample.path + "/sessions"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let text = lines.map { line in
            let user = line.user.map { ",\"user\":\"\($0)\"" } ?? ""
            return "{\"errors\":1,\"id\":\"\(Epitaph.ID().description)\","
                + "\"outcome\":\"\(line.outcome)\",\"seconds\":\(line.seconds),"
                + "\"session\":true,\"start\":\(now)\(user)}\n"
        }.joined()
        try Data(text.utf8).write(
            to: URL(fileURLWithPath: directory + "/exampled@\(Int(now) / 86_400).sessions"))
    }

    private func stats(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["stats", "--database", sample.path] + arguments)
    }

    @Test("Without sessions it says so")
    func none() throws {
        let result = try stats()
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(
            result.standardError.hasPrefix(
                "dump-convert: there is no session of the last 30 days in "))
    }

    @Test("A line for each program, with shares of what is known")
    func table() throws {
        try keep([
            ("completed", "1", 3_600), ("completed", "2", 1_800), ("crashed", "2", 1_800),
            ("unknown", nil, 0),
        ])
        let result = try stats()
        #expect(result.ending == .exited(0))
        let lines = result.standardOutput.split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(lines.count == 2)
        #expect(
            lines.last == [
                "3", "1", "0", "1", "0", "66.66%", "2", "50.00%", "2.00", "2.00", "0", "4",
                "exampled",
            ])
        #expect(lines.first?.count == lines.last?.count)
    }

    @Test("JSON for programs")
    func json() throws {
        try keep([("completed", "1", 3_600)])
        let result = try stats("--json", "--days", "7")
        let object = try jsonObject(result.standardOutput)
        #expect(object["schema"] as? String == "urn:epitaph:stats")
        #expect(object["days"] as? Int == 7)
        #expect(object["isComplete"] as? Bool == true)
        let program = try #require((object["programs"] as? [[String: Any]])?.first)
        #expect(program["program"] as? String == "exampled")
        #expect((program["sessions"] as? [String: Int])?["completed"] == 1)
        #expect(program["crashFreeSessions"] as? Double == 1)
        #expect(program["hoursPerCrash"] == nil)
    }

    @Test("Rows of running hours are by the hour and host, and name the program as reports do")
    func rows() throws {
        let hour = Int(Timestamp.now.secondsSince1970) / 3_600 - 2
        try keep([("completed", "1", 5_400), ("crashed", "2", 900)], start: hour * 3_600)
        func rows(_ arguments: String...) throws -> [NSDictionary] {
            let text = try dumpConvertOutput(
                ["stats", "--database", sample.path, "--days", "2", "--rows"] + arguments)
            return try text.split(separator: "\n").map {
                try jsonObject(String($0)) as NSDictionary
            }
        }
        func expected(_ host: String, _ program: String) -> [NSDictionary] {
            [(hour, 1.25), (hour + 1, 0.5)].map { hour, hours in
                ["time": hour * 3_600, "host": host, "program": program, "hours": hours]
            }
        }
        let host = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try rows() == expected(host, "exampled"))
        #expect(try rows("--program", "nginx") == expected(host, "nginx"))
        try sample.file(Sample.minidump(), id: "11111111-1111-4111-8111-111111111111")
        #expect(try rows("--host", "web1") == expected("web1", "served"))
        #expect(try stats("--host", "web1").ending == .exited(2))
    }

    @Test("The file for Prometheus is whole, can be read by everybody, and replaces the last one")
    func prometheus() throws {
        try keep([("completed", "1", 3_600)])
        let path = outputs.path("epitaph.prom")
        for _ in 1...2 {
            let result = try stats("--prometheus", path)
            #expect(result.ending == .exited(0))
            #expect(result.standardOutput == "")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(
                text.contains("epitaph_sessions{bundle_id=\"exampled\",outcome=\"completed\"} 1\n"))
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: outputs.path) == ["epitaph.prom"])
        let refused = try stats("--prometheus", outputs.path("none/epitaph.prom"))
        #expect(refused.ending == .exited(1))
    }

    @Test("Crashes stay counted when their reports are removed, and are counted once")
    func crashes() throws {
        let database = outputs.path("db")
        let path = outputs.path("epitaph.prom")
        func crash(_ way: String) throws {
            _ = try Subprocess.run([Victim.c.path, database, way])
            #expect(try dumpConvert("process", "--database", database).ending == .exited(0))
        }
        func counters() throws -> [String] {
            try dumpConvertOutput(
                "stats", "--database", database, "--prometheus", path, "--crashes")
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                .filter { $0.hasPrefix("epitaph_crashes_total{") }.map(String.init)
        }
        try crash("null-write")
        let labels = "{database=\"\(database)\",program=\"CEpitaphVictim\",version=\"1.0\",kind="
        let name = "epitaph_crashes_total" + labels
        #expect(try counters() == [name + "\"null-dereference\"} 1"])
        #expect(try counters() == [name + "\"null-dereference\"} 1"])
        try crash("null-write")
        try crash("abort")
        let all = try counters()
        #expect(all.contains(name + "\"null-dereference\"} 2"))
        #expect(all.count == 2)
        try dumpConvertOutput("prune", "--database", database, "--max-count", "1")
        #expect(try counters() == all)

        // Half of a file, which only a fault of the disk leaves, is no reason to fail.
        try Data("epitaph-crash-counts 1\n".utf8).write(
            to: URL(fileURLWithPath: database + "/crash-counts/counts"))
        #expect(try counters().count == 1)
        let alone = try dumpConvert("stats", "--database", database, "--crashes")
        #expect(alone.ending == .exited(2))
    }

    @Test("A damaged line is told of and costs itself alone")
    func damaged() throws {
        try keep([("completed", "1", 3_600)])
        let directory = sample.path + "/sessions/"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: directory).first)
        let handle = try #require(FileHandle(forWritingAtPath: directory + name))
        handle.seekToEndOfFile()
        handle.write(Data("{\"id\":\n\u{1b}[31m\n".utf8))
        try handle.close()
        let result = try stats()
        #expect(result.standardOutput.contains("exampled"))
        #expect(result.standardError.contains("2 lines of the kept sessions hold none"))
        #expect(!result.standardError.contains("\u{1b}"))
    }
}
