// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert list --group")
struct ListGroupTests {
    private let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
    }

    private static func id(_ number: Int) -> String {
        "\(number)1111111-2222-4333-8444-555555555555"
    }

    /// Files a crash of `program` at an instruction, so many hours after the first.
    private func file(_ number: Int, program: String, at address: UInt64, hours: Int) throws {
        var snapshot = Sample.snapshot(program: program, at: address)
        snapshot.process.snapshotTime = Timestamp(
            secondsSince1970: 1_787_368_447 + Double(hours) * 3600)
        try sample.file(Sample.minidump(snapshot), id: Self.id(number))
    }

    private func list(_ options: String...) throws -> [String] {
        let result = try dumpConvert(["list", "--group", "--database", sample.path] + options)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    private func fileThree() throws {
        try file(1, program: "/usr/bin/a", at: 0x40_1234, hours: 5)
        try file(2, program: "/usr/bin/a", at: 0x40_1234, hours: 0)
        try file(3, program: "/usr/bin/a", at: 0x40_5678, hours: 1)
        // The same place in another program is another crash.
        try file(4, program: "/usr/bin/b", at: 0x40_1234, hours: 2)
    }

    @Test("Crashes of one program in one place are one line, the newest last")
    func groups() throws {
        try fileThree()
        let lines = try list()
        let cells = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(cells.first == ["COUNT", "FIRST", "LAST", "LATEST", "SIGNATURE"])
        #expect(
            cells.dropFirst().map { Array($0.prefix(4)) } == [
                ["1", "2026-08-22T04:14:07Z", "2026-08-22T04:14:07Z", Self.id(3)],
                ["1", "2026-08-22T05:14:07Z", "2026-08-22T05:14:07Z", Self.id(4)],
                ["2", "2026-08-22T03:14:07Z", "2026-08-22T08:14:07Z", Self.id(1)],
            ])
        #expect(lines.last?.contains("  a: ") == true && lines[2].contains("  b: "))
        #expect(lines[1].hasSuffix(" a+0x405678") && lines[3].hasSuffix(" a+0x401234"))
    }

    @Test("The reports of a group are named in JSON, oldest first")
    func json() throws {
        try fileThree()
        let text = try list("--json").joined(separator: "\n")
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let groups = try #require(json?["groups"] as? [[String: Any]])
        #expect(groups.count == 3)
        let last = try #require(groups.last)
        #expect(last["count"] as? Int == 2)
        #expect(last["program"] as? String == "/usr/bin/a")
        #expect(last["reports"] as? [String] == [Self.id(2), Self.id(1)])
        #expect((last["identifier"] as? String)?.count == 16)
        #expect((last["signature"] as? String)?.hasSuffix("a+0x401234") == true)
    }

    @Test("A signature is kept, used again, and forgotten with its report")
    func kept() throws {
        try fileThree()
        let before = try list()
        #expect(try sample.files(in: "signatures") == (1...4).map(Self.id))
        // What is kept is what is used.
        let path = sample.path + "/signatures/" + Self.id(3)
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        try kept.replacing("a+0x405678", with: "kept").write(
            toFile: path, atomically: true, encoding: .utf8)
        #expect(try list()[1].hasSuffix(" kept"))
        try sample.database.delete(try #require(Epitaph.ID(Self.id(3))))
        try "".write(
            toFile: path + ".partial-1", atomically: true, encoding: .utf8)
        #expect(try list() == [before[0]] + before.dropFirst(2))
        #expect(try sample.files(in: "signatures") == [1, 2, 4].map(Self.id))
    }

    @Test(
        "A kept signature that makes no sense is made anew",
        arguments: [
            "", "garbage", "epitaph-signature 999 complete\n0123456789abcdef\nx\n",
            "epitaph-signature 6 complete\nxyz\nx\n", "epitaph-signature 6 complete\n\n\n",
        ])
    func nonsense(contents: String) throws {
        try file(3, program: "/usr/bin/a", at: 0x40_5678, hours: 1)
        let before = try list()
        let path = sample.path + "/signatures/" + Self.id(3)
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        try contents.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try list() == before)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == kept)
    }

    @Test("A kept signature cannot drive the terminal")
    func escapes() throws {
        try file(3, program: "/usr/bin/a", at: 0x40_5678, hours: 1)
        _ = try list()
        let path = sample.path + "/signatures/" + Self.id(3)
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        try kept.replacing("a+0x405678", with: "\u{1b}[2J").write(
            toFile: path, atomically: true, encoding: .utf8)
        #expect(try list()[1].hasSuffix("\\u{1b}[2J"))
    }

    @Test("A database that can only be read is grouped all the same, and stays as it is")
    func readOnly() throws {
        try fileThree()
        let result = try Subprocess.run([
            "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
            Products.executable("dump-convert"), "list", "--group", "--database", sample.path,
        ])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardError == "")
        #expect(!FileManager.default.fileExists(atPath: sample.path + "/signatures"))
        #expect(result.standardOutput.split(separator: "\n").map(String.init) == (try list()))
    }

    @Test("A live dump is a group without a signature")
    func noCrash() throws {
        var snapshot = Sample.snapshot()
        snapshot.exception = nil
        try sample.file(Sample.minidump(snapshot), id: Self.id(1))
        #expect(try list().last?.hasSuffix("  served: no crash") == true)
    }

    @Test("A real crash keeps its name when the program is gone, and gets one with --symbols")
    func realCrash() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        let crash = try DebuggedProgram(running: [program, "recursion"], in: directory)
        try sample.file(Sample.minidump(crash.snapshot), id: Self.id(1))
        let away = directory.path("away")
        try FileManager.default.createDirectory(
            atPath: away, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: program, toPath: away + "/crash")
        #expect(try list().last?.contains("touch") == false)
        #expect(try list("--symbols", away).last?.contains("touch | recursion") == true)
        #expect(try list().last?.contains("touch | recursion") == true)
    }
}
